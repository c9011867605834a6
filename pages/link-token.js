// @ts-check

/** The token of a link in a mail. It leaves the address bar at once: from there it would get into bookmarks, history and screenshots. */
export function takeLinkToken () {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token) history.replaceState(null, '', location.pathname + location.search)
  return token
}
