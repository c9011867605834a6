/**
 * The rules of src/passwords/policy.ts, for instant feedback while the user types. A test compares the two.
 * @type {Record<string, (password: string) => boolean>}
 */
export const RULES = {
  length: password => [...password].length >= 8,
  lowercase: password => /\p{Ll}/u.test(password),
  uppercase: password => /\p{Lu}/u.test(password),
  digit: password => /\p{Nd}/u.test(password),
  special: password => /[^\p{L}\p{Nd}]/u.test(password),
}

/** bcrypt ignores everything after 72 bytes. @param {string} password */
export const isTooLong = password => new TextEncoder().encode(password).length > 72
