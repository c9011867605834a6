import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Passwords a second on all cores, with nothing else to do: one at a time on each, or in our lanes. */
export async function bareRate (what: 'bcrypt' | 'lanes', cost: number, seconds: number): Promise<number> {
  const cores = String(availableParallelism())
  const { stdout } = await run(
    process.execPath,
    [join(import.meta.dirname, `programs/bare-${what}.ts`), String(cost), String(seconds), cores],
    { env: { ...process.env, UV_THREADPOOL_SIZE: cores } }
  )
  return Number(stdout)
}
