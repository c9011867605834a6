import { randomBytes } from 'node:crypto'

/**
 * In place of a hash: no password matches it, and the owner of the account sets one through the link of a mail.
 * Imports of version 0.2 wrote it, so that version refuses every password, too.
 */
export const NO_PASSWORD = '!'

/** A new one each time: what is bound to the password, such as a known browser, ends with it. */
export const noPassword = (): string => NO_PASSWORD + randomBytes(16).toString('base64url')

/** Whether the account has a password that its owner knows. */
export const isPassword = (hash: string | null): hash is string => hash !== null && !hash.startsWith(NO_PASSWORD)

/** The same in SQL. */
export const HAS_PASSWORD = `coalesce(password_hash NOT LIKE '${NO_PASSWORD}%', false)`
