import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { eventually } from '../patience.ts'
import { temporaryFolder } from '../stack.ts'
import { startProgram } from './program.ts'

/** A screen in memory, without a TCP port, for a browser that needs one. Returns the value of DISPLAY. */
export async function startDisplay (t: Test): Promise<string> {
  const file = join(temporaryFolder(end => t.teardown(end)), 'display')
  const display = ['Xvfb', '-displayfd', '1', '-nolisten', 'tcp', '-screen', '0', '1280x1024x24']
  startProgram(t, display, openSync(file, 'w'))
  const number = await eventually(() => readFileSync(file, 'utf8').match(/^(\d+)\n/m)?.[1], Boolean)
  return `:${number}`
}
