/** Removes control characters: users choose their names and user agents, which could control the terminal. */
export function printable (text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '')
}
