/**
 * One form for all spellings of a login that the database takes for the same account, and for a few more.
 * PostgreSQL lower-cases letters that JavaScript does not, such as İ: a counter for each spelling would be a way round.
 */
export function foldLogin (login: string): string {
  return login.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().toUpperCase()
}
