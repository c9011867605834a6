/** Wrong codes in an hour: at the login for each account, and afterwards for each session. */
export const CODE_LIMIT = { max: 10, windowSeconds: 3_600 }
