import { escapeHtml } from './html.ts'

export type Values = Record<string, string | boolean>

/** Fills in each `{{name}}`, escaped, and keeps what stands between `<!-- if name -->` and `<!-- end -->` where the name is true. */
export function fill (template: string, values: Values): string {
  const valueOf = (name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`a page wants "${name}", which nobody has`)
    return value
  }
  return template
    .replace(/<!-- if (\w+) -->([^]*?)<!-- end -->/g, (_, name: string, part: string) => valueOf(name) ? part : '')
    .replace(/\{\{([\w.-]+)\}\}/g, (_, name: string) => escapeHtml(String(valueOf(name))))
}

/** `{ login: { title: 'Sign in' } }` as `{ 'login.title': 'Sign in' }`. What is not text is for the scripts. */
export function flatten (texts: object, prefix = ''): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).flatMap(([name, value]) => {
    if (typeof value === 'string') return [[prefix + name, value]]
    return typeof value === 'object' ? Object.entries(flatten(value, `${prefix}${name}.`)) : []
  }))
}
