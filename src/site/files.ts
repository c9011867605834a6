import { readdir } from 'node:fs/promises'
import { join, posix, relative, sep } from 'node:path'

/** The files of pages and mails by their names, such as `login.eta` and `mails/html.eta`, and where each one is. */
export type PageFiles = ReadonlyMap<string, string>

const OWN_FOLDER = join(import.meta.dirname, '../../pages')

/** Whether the file is none that replaces ours. */
export const isOurs = (path: string) => path.startsWith(OWN_FOLDER + sep)

/** Our own file, also where one in TEMPLATES_DIR replaces it or adds to it. */
export const oursOf = (place: string) => join(OWN_FOLDER, place)

/** Tells Node that the texts are modules. */
export const PACKAGE_FILE = 'package.json'

/** These folders are part of a name. The others only keep the files of a page together. */
const NAMED_FOLDERS = ['mails', 'operator', 'providers', 'texts', 'types']

/** The name under which a file of ours is served, included and replaced: `login.js` for `login/login.js`. */
export function nameOf (place: string): string {
  const folders = place.split('/').slice(0, -1).filter(folder => NAMED_FOLDERS.includes(folder))
  return [...folders, posix.basename(place)].join('/')
}

/** Where one of our files is in `pages/`. A file that replaces it is treated as if it were beside all others. */
export const placeOf = (name: string, path: string) =>
  isOurs(path) ? relative(OWN_FOLDER, path).replaceAll('\\', '/') : name

/** By their places. Hidden files are left out: a folder of Kubernetes has its versions in `..data`. */
async function listFiles (folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name))
  const placed = paths.map(path => [relative(folder, path).replaceAll('\\', '/'), path] as const)
  return new Map(placed.filter(([place]) => !/(?:^|\/)\./.test(place)).sort())
}

const isOperators = (name: string) => name.startsWith('operator/')

/** All of ours, with those of the operators' page, which TEMPLATES_DIR does not replace. */
export async function findOperatorFiles (): Promise<PageFiles> {
  return new Map([...await listFiles(OWN_FOLDER)].map(([place, path]) => [nameOf(place), path]))
}

/** Our files, of which those in TEMPLATES_DIR replace some. `unknown`: names of files there that replace none. */
export async function findPageFiles (overrides?: string): Promise<{ files: PageFiles, unknown: string[] }> {
  const files = new Map([...await findOperatorFiles()].filter(([name]) => !isOperators(name)))
  const unknown: string[] = []
  for (const [name, path] of overrides ? await listFiles(overrides) : []) {
    if (files.has(name)) files.set(name, path)
    else if (name !== PACKAGE_FILE) unknown.push(name)
  }
  return { files, unknown }
}
