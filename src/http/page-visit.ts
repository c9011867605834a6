import type { IncomingHttpHeaders } from 'node:http'

/** Encoded. Longer ones would not fit where the address of a page has to: the headers that front ends and browsers take. */
const MAX_RETURN_PATH_LENGTH = 2_048

/** Whether the request that a front end asks about is a person's on the way to a page, and not a script's. */
function isPageVisit (headers: IncomingHttpHeaders): boolean {
  if (!['GET', 'HEAD', undefined].includes(headers['x-forwarded-method'] as string | undefined)) return false
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? headers.accept?.includes('text/html') === true : mode === 'navigate'
}

/** Where that person can sign in and come back from; nothing for scripts, which cannot make use of a page. */
export function signInAddress (headers: IncomingHttpHeaders): string | undefined {
  if (!isPageVisit(headers)) return undefined
  const wayBack = encodeURIComponent(String(headers['x-forwarded-uri'] ?? ''))
  return wayBack && wayBack.length <= MAX_RETURN_PATH_LENGTH ? `/login?next=${wayBack}` : '/login'
}
