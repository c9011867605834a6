/** Texts in JSON. One that is followed by a colon is the name of a member. */
const TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

/** How many members all objects in it have. Without recursion: arrays can be nested thousands of times. */
function countMembers (value: unknown): number {
  let members = 0
  for (const waiting = [value]; waiting.length > 0;) {
    const each = waiting.pop()
    if (typeof each !== 'object' || each === null) continue
    const values = Object.values(each)
    if (!Array.isArray(each)) members += values.length
    // One by one: a call cannot have as many arguments as an array may have elements.
    for (const value of values) waiting.push(value)
  }
  return members
}

/**
 * Whether an object in this text has two members of the same name. `value`: what JSON.parse made of it, which keeps the
 * last one: another program may read the first.
 */
export function hasDuplicates (text: string, value: unknown): boolean {
  let names = 0
  for (const [, colon] of text.matchAll(TEXTS)) if (colon) names++
  return names !== countMembers(value)
}

/** Throws a SyntaxError for a text that is not JSON, or can be read in two ways. */
export function parseStrictly (text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (hasDuplicates(text, value)) throw new SyntaxError('An object has two members of the same name.')
  return value
}
