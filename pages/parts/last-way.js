/** Whether this browser last signed in by mail. It says nothing of an account. */
const KEY = 'gatehouse-by-mail'

/** @param {boolean} byMail */
export function rememberWay (byMail) {
  try {
    if (byMail) localStorage.setItem(KEY, 'yes')
    else localStorage.removeItem(KEY)
  } catch { /* The browser keeps nothing. */ }
}

export function wasByMail () {
  try {
    return localStorage.getItem(KEY) !== null
  } catch {
    return false
  }
}
