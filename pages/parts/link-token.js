let taken = ''

/**
 * What the link says beside its token: `for` if a page has links of several kinds, `next` after the sign-in, and
 * `email` as it was typed on another page. To be read before the token is taken.
 * @param {'for' | 'next' | 'email'} name
 */
export function linkParameter (name) {
  return new URLSearchParams(location.hash.slice(1)).get(name)
}

/** Takes the token from the URL of an emailed link, and removes it there: URLs end up in bookmarks and history. */
export function takeLinkToken () {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token) {
    taken = location.hash
    history.replaceState(null, '', location.pathname + location.search)
  }
  return token
}

/** The fragment with which this page was opened. */
export const linkFragment = () => location.hash || taken
