import { texts } from './texts.js'

const KNOWN = Object.keys(texts.scopes)

/** What an application gets. A scope without a text has its own name. @param {string[]} scopes @returns {string[]} */
export function scopesInWords (scopes) {
  const known = KNOWN.filter(scope => scopes.includes(scope)).map(scope => texts.scopes[scope] ?? scope)
  return [...known, ...scopes.filter(scope => !KNOWN.includes(scope))]
}
