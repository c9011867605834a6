/**
 * Returns the same text for all spellings of a login that the database treats as one account, and for a few more.
 * PostgreSQL lower-cases letters that JavaScript does not, such as İ. A counter per spelling would allow more guesses.
 */
export function foldLogin (login: string): string {
  return login.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().toUpperCase()
}
