import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TESTS = join(import.meta.dirname, '..')
const TITLE = /\btest\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g

/** The titles as written in the source: `${…}` is not evaluated. */
function titlesIn (path: string): string[] {
  return [...readFileSync(join(TESTS, path), 'utf8').matchAll(TITLE)].map(([, , title = '']) =>
    title.replaceAll("\\'", "'")
  )
}

/** The one test whose title has these words. Throws when there is none or more than one. */
export function findTest (reference: string): { path: string, title: string } {
  const [path = '', words = ''] = reference.split(/#(.*)/s)
  const found = titlesIn(path).filter(title => title.includes(words))
  if (!words || found.length !== 1) throw new Error(`${reference}: ${found.length} tests have these words`)
  return { path, title: found[0] as string }
}
