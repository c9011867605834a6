import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { ROTATE } from '../../plugins/records/sessions/rotations.ts'
import { providePgbench } from '../environment/install.ts'
import type { Stage } from '../environment/stage.ts'

const run = promisify(execFile)

/** The parameters of the statement, computed from numbers, because pgbench has no others. */
const PARAMETERS = [
  "md5('id' || :session)::uuid",
  'sha256(int8send(:token))',
  ':step',
  'sha256(int8send(:next))',
  'extract(epoch FROM now())::int',
  "extract(epoch FROM now() + interval '20 days')::int",
  "'127.0.0.1'",
  "'Mozilla/5.0'",
  // Not bound to a device.
  'NULL',
  'true',
  'NULL',
]

/** Each client rotates its own session, from one token to the next. */
const SCRIPT = `
\\set session :base + :client_id * 1000000
\\set token :session + :step
\\set next :token + 1
\\set step :step + 1
${ROTATE.replace(/\$(\d+)/g, (_, n) => PARAMETERS[n - 1] as string)};
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

  async function begin () {
    base += 100_000_000
    await stage.query(
      database,
      `
      INSERT INTO refresh_tokens (id, user_id, token, expires_at, signed_in_at)
      SELECT md5('id' || n)::uuid, 501 + n / 1000000 % 100, sha256(int8send(n)), now() + interval '20 days', now()
      FROM ${sessions()} n`
    )
  }

  const sessions = () => `generate_series(${base}::bigint, ${base + (concurrency - 1) * 1_000_000}, 1000000)`

  async function runPgbench (program: string, ...length: string[]): Promise<Rotations> {
    const { stdout } = await run(program, [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${concurrency}`,
      '--jobs=2',
      ...length,
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
    const text = ROTATE.replace(/\$(\d+)/g, (_, n) =>
      (PARAMETERS[n - 1] as string)
        .replace(':session', '$1::bigint')
        .replace(':token', '$1::bigint + $2::int - 1')
        .replace(':next', '$1::bigint + $2::int')
        .replace(':step', '$2::int')
    )
    const ends = performance.now() + seconds * 1_000
    let count = 0
    await Promise.all(
      Array.from({ length: concurrency }, async (_, client) => {
        for (let step = 1; performance.now() < ends; step++, count++) {
          await pool.query({ name: 'rotate', text, values: [base + client * 1_000_000, step] })
        }
      })
    )
    await pool.end()
    return { count, rate: count / seconds }
  }

  return {
    name: pgbench ? 'pgbench' : 'a bare loop on pg (there is no pgbench)',
    /** So many, all of the same few sessions. Returns their number. */
    async repeat (times: number): Promise<number> {
      await begin()
      if (!pgbench) throw new Error('this needs pgbench')
      return (await runPgbench(pgbench, `--transactions=${Math.ceil(times / concurrency)}`)).count
    },
    async run (seconds: number): Promise<number> {
      await begin()
      const { count, rate } = pgbench ? await runPgbench(pgbench, `--time=${seconds}`) : await runLoop(seconds)
      const [row] = await stage.query<{ rotated: number }>(
        database,
        `SELECT sum(generation)::int AS rotated FROM refresh_tokens
         WHERE id IN (SELECT md5('id' || n)::uuid FROM ${sessions()} n)`
      )
      if (row?.rotated !== count) throw new Error(`${count} statements rotated ${row?.rotated} tokens`)
      return rate
    },
  }
}
