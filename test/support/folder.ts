import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** An empty folder for one test. */
export function makeFolder (t: Pick<Test, 'teardown'>, name = 'files'): string {
  const dir = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A folder with these files, which is removed at the end. */
export function folderWith (t: Pick<Test, 'teardown'>, files: Record<string, string>): string {
  const folder = makeFolder(t)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}
