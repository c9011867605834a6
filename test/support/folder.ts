import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** An empty folder for one test. */
export function makeFolder (t: Pick<Test, 'teardown'>, name = 'files'): string {
  const dir = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
