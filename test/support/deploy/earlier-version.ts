import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Test } from 'tap'
import { makeFolder } from '../folder.ts'

/** Version 0.2.0. Its packages have the same versions as today's, so that they are shared. */
const COMMIT = 'e9639f7'

/** The program of version 0.2, from the history of this repository. */
export function checkOutEarlierVersion (t: Pick<Test, 'teardown'>): string {
  const dir = makeFolder(t, 'earlier')
  const archive = execFileSync('git', ['archive', COMMIT], { maxBuffer: 2 ** 28 })
  execFileSync('tar', ['--extract', '--directory', dir], { input: archive })
  symlinkSync(resolve('node_modules'), join(dir, 'node_modules'))
  return join(dir, 'src/cli/gatehouse.js')
}
