import { appOrigins } from '../parts/app-origins.js'
import { byId } from '../parts/elements.js'
import { safeNext } from '../parts/safe-next.js'
import { requestedNext } from '../parts/way-back.js'

/** The app stays the same for this tab, also after a reload. */
const KEY = 'gatehouse-way-back'

/** The page of another host that led here, if it is one of an app. */
function referringApp () {
  const { referrer } = document
  return referrer.startsWith(`${location.origin}/`) ? '' : safeNext(referrer, '', appOrigins)
}

/** The brand leads back to the app that the user came from, otherwise to LOGIN_REDIRECT. */
export function leadBack () {
  const came = requestedNext() || referringApp()
  if (came) sessionStorage.setItem(KEY, came)
  const home = safeNext(sessionStorage.getItem(KEY), '', appOrigins)
  if (home) byId('way-back', HTMLAnchorElement).href = home
}
