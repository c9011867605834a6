import { readdir } from 'node:fs/promises'
import { join, posix, relative, sep } from 'node:path'

/** The files of pages and mails by their names, such as `login/login.eta`, and where each one is. */
export type PageFiles = ReadonlyMap<string, string>

const OWN_FOLDER = join(import.meta.dirname, '../../pages')

/** Whether the file is none that replaces ours. */
export const isOurs = (path: string) => path.startsWith(OWN_FOLDER + sep)

/** Tells Node that the texts are modules. */
export const PACKAGE_FILE = 'package.json'

/** Hidden files are left out: a folder of Kubernetes has its versions in `..data`. */
async function listFiles (folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name))
  const named = paths.map(path => [relative(folder, path).replaceAll('\\', '/'), path] as const)
  return new Map(named.filter(([name]) => !/(?:^|\/)\./.test(name)).sort())
}

const isOperators = (name: string) => name.startsWith('operator/')

/** All of ours, with those of the operators' page, which TEMPLATES_DIR does not replace. */
export const findOperatorFiles = (): Promise<PageFiles> => listFiles(OWN_FOLDER)

/** The names by their last parts, where only one has it: version 0.2 had `login.eta` for `login/login.eta`. */
export function byFormerName (names: Iterable<string>): Map<string, string> {
  const namesakes = [...Map.groupBy(names, name => posix.basename(name))]
  return new Map(namesakes.filter(([, { length }]) => length === 1).map(([last, [name]]) => [last, name as string]))
}

/**
 * Our files, of which those in TEMPLATES_DIR replace some, also by their former names.
 * `unknown`: names of files there that replace none.
 */
export async function findPageFiles (overrides?: string): Promise<{ files: PageFiles, unknown: string[] }> {
  const files = new Map([...await listFiles(OWN_FOLDER)].filter(([name]) => !isOperators(name)))
  const former = byFormerName(files.keys())
  const unknown: string[] = []
  for (const [given, path] of overrides ? await listFiles(overrides) : []) {
    const name = files.has(given) ? given : former.get(given)
    if (name) files.set(name, path)
    else if (given !== PACKAGE_FILE) unknown.push(given)
  }
  return { files, unknown }
}
