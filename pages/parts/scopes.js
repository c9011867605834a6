import { texts } from './texts.js'

/** What an application gets. A scope without a text has its own name. @param {string[]} scopes @returns {string[]} */
export const scopesInWords = scopes =>
  scopes.map(scope => Object.hasOwn(texts.scopes, scope) ? texts.scopes[scope] ?? scope : scope)
