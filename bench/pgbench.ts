import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { ROTATE } from '../plugins/records/sessions-store.ts'
import { providePgbench } from './install.ts'
import type { Stage } from './stage.ts'

const run = promisify(execFile)

/** The parameters of the statement, computed from numbers, because pgbench has no others. */
const PARAMETERS = [
  'sha256(int8send(:token))',
  "md5('id' || :next)::uuid",
  'sha256(int8send(:next))',
  'extract(epoch FROM now())::int',
  "extract(epoch FROM now() + interval '20 days')::int",
  "'127.0.0.1'",
  "'Mozilla/5.0'",
]

/** Each client rotates its own session, from one token to the next. */
const SCRIPT = `
\\set token :base + :client_id * 1000000 + :step
\\set next :token + 1
\\set step :step + 1
${ROTATE.replace(/\$(\d)/g, (_, n) => PARAMETERS[n - 1] as string)};
`

interface Rotations {
  count: number
  rate: number
}

/** Only the rotation statement: by pgbench, or by a plain loop over pg where pgbench is missing. */
export async function createRotator (stage: Stage, database: string, concurrency: number) {
  const script = join(stage.dir, 'rotate.sql')
  await writeFile(script, SCRIPT)
  const pgbench = providePgbench()
  let base = 0

  async function begin (): Promise<Date> {
    base += 100_000_000
    const [row] = await stage.query<{ began: Date }>(
      database,
      `
      INSERT INTO refresh_tokens (id, family_id, user_id, token, expires_at, signed_in_at)
      SELECT md5('id' || n)::uuid, md5('family' || n)::uuid, 501 + n / 1000000 % 100, sha256(int8send(n)),
        now() + interval '20 days', now()
      FROM generate_series(${base}::bigint, ${base + (concurrency - 1) * 1_000_000}, 1000000) n
      RETURNING now() AS began`
    )
    return row?.began as Date
  }

  async function runPgbench (program: string, seconds: number): Promise<Rotations> {
    const { stdout } = await run(program, [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${concurrency}`,
      '--jobs=2',
      `--time=${seconds}`,
      `--file=${script}`,
      `--define=base=${base}`,
      '--define=step=0',
      stage.service(database),
    ])
    return {
      count: Number(/actually processed: (\d+)/.exec(stdout)?.[1]),
      rate: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]),
    }
  }

  async function runLoop (seconds: number): Promise<Rotations> {
    const pool = new pg.Pool({ connectionString: stage.service(database), max: concurrency })
    const text = ROTATE.replace(/\$(\d)/g, (_, n) =>
      (PARAMETERS[n - 1] as string).replace(':token', '$1::bigint').replace(':next', '$2::bigint')
    )
    const ends = performance.now() + seconds * 1_000
    let count = 0
    await Promise.all(
      Array.from({ length: concurrency }, async (_, client) => {
        for (let token = base + client * 1_000_000; performance.now() < ends; token++, count++) {
          await pool.query({ name: 'rotate', text, values: [token, token + 1] })
        }
      })
    )
    await pool.end()
    return { count, rate: count / seconds }
  }

  return {
    name: pgbench ? 'pgbench' : 'a bare loop on pg (there is no pgbench)',
    async run (seconds: number): Promise<number> {
      const began = await begin()
      const { count, rate } = pgbench ? await runPgbench(pgbench, seconds) : await runLoop(seconds)
      const [row] = await stage.query<{ rotated: number }>(
        database,
        'SELECT count(*)::int AS rotated FROM refresh_tokens WHERE user_id > 500 AND rotated_at > $1',
        [began]
      )
      if (row?.rotated !== count) throw new Error(`${count} statements rotated ${row?.rotated} tokens`)
      return rate
    },
  }
}
