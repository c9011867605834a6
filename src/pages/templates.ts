import { readFile } from 'node:fs/promises'
import { Eta } from 'eta/core'
import type { PageFiles } from './files.ts'

const EXTENSION = '.eta'

/** Names the file and, if it is known, the line. */
export class TemplateError extends Error {
  constructor (file: string, cause: unknown) {
    super(`${file}${reasonOf(cause as Error)}`, { cause })
  }
}

/** The messages of Eta have several lines, with parts of the template. */
function reasonOf ({ message }: Error): string {
  const lines = message.split('\n').map(line => line.trim()).filter(Boolean)
  const [, line] = message.match(/^line (\d+)/) ?? []
  if (line) return `, line ${line}: ${lines.at(-1)}`
  const [first = '', second = ''] = lines
  return `: ${first === 'Bad template syntax' ? second : first.replace(/:$/, '')}`
}

/** Without this, Eta writes "undefined" where a value is missing. */
function requireValue (value: unknown): string {
  if (value === undefined || value === null) throw new Error('a template uses a value that it was not given')
  return String(value)
}

/** An error in a layout or a part also comes out of the page that uses it. */
function nameFile (file: string, error: unknown): TemplateError {
  const { cause } = error as Error
  return cause instanceof TemplateError ? cause : new TemplateError(file, error)
}

function compile (eta: Eta, file: string, source: string) {
  try {
    const template = eta.compile(source)
    return function render (this: Eta, ...args: Parameters<typeof template>): string {
      try {
        return template.apply(this, args)
      } catch (error) {
        throw nameFile(file, error)
      }
    }
  } catch (error) {
    throw nameFile(file, error)
  }
}

/**
 * The templates of pages and mails: `login.eta` has the name `@login`. `<%= %>` escapes for HTML, `<%~ %>` does not.
 * They are compiled here and never read again, so that a mistake shows at the start.
 */
export async function loadTemplates (files: PageFiles): Promise<Eta> {
  const eta = new Eta({ autoFilter: true, filterFunction: requireValue, debug: true })
  for (const [file, path] of files) {
    if (!file.endsWith(EXTENSION)) continue
    eta.loadTemplate(`@${file.slice(0, -EXTENSION.length)}`, compile(eta, file, await readFile(path, 'utf8')))
  }
  return eta
}
