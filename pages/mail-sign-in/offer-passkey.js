import { read } from '../parts/api.js'
import { byId, goToPart } from '../parts/elements.js'
import { hasPasskeys } from '../parts/passkeys.js'
import { leaveTo, withNext } from '../parts/way-back.js'

/** The cookie of a browser whose user does not want one now. */
const DECLINED = 'passkey_declined'
const YEAR = 31_536_000

/** Whether the account could have a passkey and has none. */
async function isUseful () {
  if (!hasPasskeys || !document.getElementById('offer-passkey') || document.cookie.includes(DECLINED)) return false
  const factors = await read('/api/auth/factors').catch(() => undefined)
  return factors?.passkeys.length === 0
}

/** After a sign-in by mail: a passkey spares the next mail. @param {string} next */
export async function offerPasskey (next) {
  if (!await isUseful()) return leaveTo(next)
  byId('add-passkey', HTMLAnchorElement).href = `${withNext('/dashboard', next)}#add-passkey`
  byId('not-now', HTMLButtonElement).addEventListener('click', () => {
    document.cookie = `${DECLINED}=yes; path=/login/mail; max-age=${YEAR}; samesite=strict`
    leaveTo(next)
  })
  goToPart('offer-passkey')
}
