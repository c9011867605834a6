import type { IncomingHttpHeaders } from 'node:http'

/** Whether the request that a front end asks about is a person's on the way to a page, and not a script's. */
function isPageVisit (headers: IncomingHttpHeaders): boolean {
  if (!['GET', 'HEAD', undefined].includes(headers['x-forwarded-method'] as string | undefined)) return false
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? headers.accept?.includes('text/html') === true : mode === 'navigate'
}

/** Where that person can sign in and come back from; nothing for scripts, which cannot make use of a page. */
export function signInAddress (headers: IncomingHttpHeaders): string | undefined {
  if (!isPageVisit(headers)) return undefined
  const wanted = headers['x-forwarded-uri']
  return wanted ? `/login?next=${encodeURIComponent(String(wanted))}` : '/login'
}
