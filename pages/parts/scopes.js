import { texts } from './texts.js'

/**
 * An API that an application uses, in the words of the operator.
 * @typedef {{ uri: string, description: string, scopes: Array<{ name: string, description: string }> }} Resource
 */

const KNOWN = Object.keys(texts.scopes)

/** What an application gets. A scope without a text has its own name. @param {string[]} scopes @returns {string[]} */
export function scopesInWords (scopes) {
  const known = KNOWN.filter(scope => scopes.includes(scope)).map(scope => texts.scopes[scope] ?? scope)
  return [...known, ...scopes.filter(scope => !KNOWN.includes(scope))]
}

/** In one line. @param {Resource} resource */
export const resourceInWords = ({ description, scopes }) =>
  `${description}: ${scopes.map(scope => scope.description).join(', ')}`
