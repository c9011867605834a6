/** Removes control characters: users choose their names and user agents, which could control the terminal. */
export function printable (text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '')
}

/** A time for people, to the minute. */
export const minute = (time: Date | null): string =>
  time ? `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC` : 'never'

/** Breaks a text at spaces into lines of at most `width` characters. A longer word has a line of its own. */
export function wrap (text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
