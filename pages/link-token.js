// @ts-check

/** Takes the token from the URL of an emailed link, and removes it there: URLs end up in bookmarks and history. */
export function takeLinkToken () {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token) history.replaceState(null, '', location.pathname + location.search)
  return token
}
