import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Eta } from 'eta/core'

const EXTENSION = '.eta'

/** Without this, Eta writes "undefined" where a value is missing. */
function requireValue (value: unknown): string {
  if (value === undefined || value === null) throw new Error('a template uses a value that it was not given')
  return String(value)
}

/**
 * The templates of a folder: `login.eta` has the name `@login`. `<%= %>` escapes for HTML, `<%~ %>` does not.
 * They are compiled here and never read again, so that a mistake shows at the start.
 */
export async function loadTemplates (folder: string): Promise<Eta> {
  const eta = new Eta({ autoFilter: true, filterFunction: requireValue })
  const files = await readdir(folder, { recursive: true })
  for (const file of files.filter(name => name.endsWith(EXTENSION))) {
    const name = file.slice(0, -EXTENSION.length).replaceAll('\\', '/')
    eta.loadTemplate(`@${name}`, await readFile(join(folder, file), 'utf8'))
  }
  return eta
}
