import type { IncomingHttpHeaders } from 'node:http'

/** Length after encoding. Longer paths could exceed the header limits of proxies and browsers. */
const MAX_RETURN_PATH_LENGTH = 2_048

/** Whether the forwarded request is a browser navigation, and not a request of a script. */
function isPageVisit (headers: IncomingHttpHeaders): boolean {
  if (!['GET', 'HEAD', undefined].includes(headers['x-forwarded-method'] as string | undefined)) return false
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? headers.accept?.includes('text/html') === true : mode === 'navigate'
}

/** The address of the login page, with the path to return to. `undefined` for scripts, which cannot use a page. */
export function signInAddress (headers: IncomingHttpHeaders): string | undefined {
  if (!isPageVisit(headers)) return undefined
  const returnPath = encodeURIComponent(String(headers['x-forwarded-uri'] ?? ''))
  return returnPath && returnPath.length <= MAX_RETURN_PATH_LENGTH ? `/login?next=${returnPath}` : '/login'
}
