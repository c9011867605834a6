/** The rules of src/passwords/policy.ts, for instant feedback while the user types. A test compares the two. */
export const RULES = {
  length: (/** @type {string} */ password) => [...password].length >= 8,
  lowercase: (/** @type {string} */ password) => /\p{Ll}/u.test(password),
  uppercase: (/** @type {string} */ password) => /\p{Lu}/u.test(password),
  digit: (/** @type {string} */ password) => /\p{Nd}/u.test(password),
  special: (/** @type {string} */ password) => /[^\p{L}\p{Nd}]/u.test(password),
}

/** bcrypt ignores everything after 72 bytes. @param {string} password */
export const isTooLong = password => new TextEncoder().encode(password).length > 72

/** Other texts have no hash that is theirs alone. @param {string} password */
export const isHashable = password => password.isWellFormed() && !password.includes('\0')
