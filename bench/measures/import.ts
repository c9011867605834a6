import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importAll } from '../../src/cli/user/import.ts'
import { readRows } from '../../src/import-export/read-rows.ts'
import type { Bench } from '../bench.ts'
import { createService } from '../contenders/service-in-process.ts'
import { accountRow } from '../data/account-rows.ts'
import type { Result } from '../figures/results.ts'
import { alternate, ratio, spread } from '../figures/rounds.ts'

const DATABASE = 'import'
const COLUMNS = ['username', 'email', 'name', 'external_id', 'password_hash', 'email_verified_at']

/**
 * `gatehouse user import` beside COPY of the same rows into the same table with all its indexes. The import also checks
 * each row, looks for accounts that exist, and records events.
 */
export async function measureImport (
  bench: Pick<Bench, 'options' | 'stage' | 'onEnd' | 'progress'>
): Promise<Result[]> {
  const { options: { quick, rounds }, progress, stage } = bench
  const count = quick ? 20_000 : 100_000
  await stage.createServiceDatabase(DATABASE)
  const app = createService(bench, DATABASE)
  await app.ready()

  const rows = Array.from({ length: count }, (_, number) => accountRow(number))
  const [file, table] = [join(stage.dir, 'accounts.ndjson'), join(stage.dir, 'accounts.csv')]
  const now = new Date().toISOString()
  await writeFile(file, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  // No value needs quotes, except the hashes with commas.
  await writeFile(table, rows.map(({ username, email, name, external_id: externalId, password_hash: hash }) =>
    `${username},${email},${name},${externalId},"${hash}",${now}\n`).join(''))

  /** Rows a second, into an empty table. */
  async function time (add: () => Promise<unknown>): Promise<number> {
    await stage.query(DATABASE, 'TRUNCATE users CASCADE')
    const began = performance.now()
    await add()
    const seconds = (performance.now() - began) / 1_000
    const [added] = await stage.query<{ count: number }>(DATABASE, 'SELECT count(*)::int FROM users')
    if (added?.count !== count) throw new Error(`${added?.count} of ${count} accounts were added`)
    return count / seconds
  }

  const measured = await alternate({ rounds }, {
    'user import': () => time(() => importAll(app, {
      rows: readRows(file, 'ndjson'), size: 0, convert: row => row, dryRun: false, note: () => undefined,
    })),
    COPY: () => time(() => stage.query(DATABASE, `COPY users (${COLUMNS}) FROM '${table}' WITH (FORMAT csv)`)),
  }, progress)

  return [{
    id: 'import',
    title: `Import of ${count.toLocaleString('en')} accounts`,
    ratios: [ratio('user import ÷ COPY of the same rows, rows a second', measured['user import'], measured.COPY)],
    figures: Object.entries(measured).map(([label, values]) => ({ label, unit: 'rows/s', ...spread(values) })),
  }]
}
