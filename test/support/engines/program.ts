import { once } from 'node:events'
import type { Test } from 'tap'
import { spawnTethered } from '../../../demo/tethered.ts'

/** A program that ends with the test, or with this process. */
export function startProgram (t: Test, command: string[], output?: number) {
  const program = spawnTethered(command, 'TERM', output)
  const ended = once(program, 'exit')
  t.teardown(async () => {
    program.ref()
    program.kill()
    await ended
  })
}
