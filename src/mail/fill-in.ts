/** The word is not broken over lines. To a mail program that looks for addresses it ends here. */
const NARROW_SPACE = '\u202f'
const MAX_LENGTH = 100

/**
 * For a value that a stranger can choose: one line of limited length, so that a name cannot become a message
 * of its own, and no part in which a mail program finds a link, as in `www.example.com`.
 */
export function unlinked (value: string): string {
  const line = value.replace(/[\p{C}\s]+/gu, ' ').trim().slice(0, MAX_LENGTH).toWellFormed()
  return line.replace(/[.:/@](?=\S)/g, `$&${NARROW_SPACE}`)
}

/** Replaces `{name}` by its value. What a value contains is not replaced again. */
export function fillIn (text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`a text uses {${name}}, which this mail does not have`)
    return value
  })
}
