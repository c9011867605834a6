import { readFileSync } from 'node:fs'
import { Eta } from 'eta/core'
import { isOurs, type PageFiles } from './files.ts'

const EXTENSION = '.eta'

type Template = ReturnType<Eta['compile']>

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
  const [, source = ''] = message.match(/^ *>> *\d+\| *(.*)$/m) ?? []
  if (line) return `, line ${line}: ${lines.at(-1)}: ${source.trim()}`
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

function compile (eta: Eta, file: string, source: string): Template {
  try {
    const template = eta.compile(source)
    return function render (this: Eta, ...args) {
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

/** To compile all of ours at the start would take 50 ms. */
function compileAtFirstUse (eta: Eta, file: string, source: string): Template {
  let template: Template | undefined
  return function render (this: Eta, ...args) {
    template ??= compile(eta, file, source)
    return template.apply(this, args)
  }
}

/**
 * The templates of pages and mails: `login.eta` has the name `@login`. `<%= %>` escapes for HTML, `<%~ %>` does not.
 * They are never read again. Those that replace ours are compiled here, so that a mistake shows at the start.
 */
export function loadTemplates (files: PageFiles): Eta {
  const eta = new Eta({ autoFilter: true, filterFunction: requireValue, debug: true })
  for (const [file, path] of files) {
    if (!file.endsWith(EXTENSION)) continue
    const prepare = isOurs(path) ? compileAtFirstUse : compile
    eta.loadTemplate(`@${file.slice(0, -EXTENSION.length)}`, prepare(eta, file, readFileSync(path, 'utf8')))
  }
  return eta
}
