import { once } from 'node:events'
import { requireArguments, type Arguments } from '../command.ts'
import { withService } from '../with-service.ts'

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
