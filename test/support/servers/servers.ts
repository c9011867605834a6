import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What all test files of a run share. Each makes databases of its own there, and keys with a prefix of its own. */
export interface Servers {
  /** The process that has started them, and stops them. */
  pid: number
  postgres: string
  /** A data folder with a migrated database, for tests that start a PostgreSQL of their own. */
  seed: string
  redis?: string
  /** The service as `npm run build` makes it: what production runs, and it starts faster than the sources. */
  program: string
}

export const FILE = 'servers.json'
/** In .tap/, from where the build finds the installed packages. */
export const folderOf = (run: number) => join(import.meta.dirname, '../../../.tap/servers', String(run))

/** The servers of this run, or undefined if a test file is run by `node` alone. */
export function readServers (run = process.ppid): Servers | undefined {
  const file = join(folderOf(run), FILE)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
