import { appOrigins } from '../parts/app-origins.js'
import { byId } from '../parts/elements.js'
import { safeNext } from '../parts/safe-next.js'
import { requestedNext } from '../parts/way-back.js'

/** The page of another host that led here, if it is one of an app. */
function referringApp () {
  const { referrer } = document
  return referrer.startsWith(`${location.origin}/`) ? '' : safeNext(referrer, '', appOrigins)
}

/** The brand leads back to the app that the user came from, otherwise to LOGIN_REDIRECT. The sections keep `next`. */
export function leadBack () {
  const next = requestedNext() || referringApp()
  if (!next) return
  byId('way-back', HTMLAnchorElement).href = next
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('.sections a, .back a'))
  for (const link of links) link.search = String(new URLSearchParams({ next }))
}
