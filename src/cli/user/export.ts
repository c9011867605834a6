import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import { requireArguments, type Arguments } from '../command.ts'
import { withService } from '../with-service.ts'
import { findUser } from './view.ts'

/** Writes NDJSON to standard output, as fast as it is read. */
export async function exportUsers ({ positionals, values }: Arguments): Promise<void> {
  requireArguments(positionals)
  await withService(async app => {
    for await (const accounts of app.accountExport({ withHashes: Boolean(values['with-hashes']) })) {
      const lines = accounts.map(account => `${JSON.stringify(account)}\n`).join('')
      if (!process.stdout.write(lines)) await once(process.stdout, 'drain')
    }
  })
}

/** Writes all data of one account to standard output, as its owner can download it. */
export async function download ({ positionals }: Arguments): Promise<void> {
  const [login] = requireArguments(positionals, 'USER')
  await withService(async app => {
    const { id } = await findUser(app, login)
    await pipeline(await app.dataExport.beginFor(id), process.stdout, { end: false })
  })
}
