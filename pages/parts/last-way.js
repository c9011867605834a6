/** The cookie of a browser that last signed in by mail. It says nothing of an account. */
const COOKIE = 'by_mail'
const YEAR = 31_536_000

/** @param {boolean} byMail */
export function rememberWay (byMail) {
  document.cookie = `${COOKIE}=yes; path=/login; max-age=${byMail ? YEAR : 0}; samesite=strict`
}

export const wasByMail = () => document.cookie.includes(COOKIE)
