import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'
import { safeNext } from '../../pages/parts/safe-next.js'
import type { Config } from '../settings/schema.ts'

/** Length after encoding. Longer paths could exceed the header limits of proxies and browsers. */
const MAX_RETURN_PATH_LENGTH = 2_048

/** Older browsers send no Sec-Fetch-Mode. Programs that accept anything get JSON. */
const prefersHtml = (headers: IncomingHttpHeaders): boolean =>
  new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html'

/** Whether a browser shows the response as a page, and no script or program reads it. */
export function isNavigation (headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? prefersHtml(headers) : mode === 'navigate'
}

/** Whether the forwarded request is a browser navigation that can be repeated after the sign-in. */
function isPageVisit (headers: IncomingHttpHeaders): boolean {
  const method = headers['x-forwarded-method'] as string | undefined
  return ['GET', 'HEAD', undefined].includes(method) && isNavigation(headers)
}

/**
 * The address of the login page, with the path to return to. `undefined` for scripts, which cannot use a page.
 * At the host of an app, both are complete URLs. Any other X-Forwarded-Host is ignored.
 */
export function signInAddress (
  headers: IncomingHttpHeaders,
  { APP_ORIGINS, PUBLIC_URL }: Pick<Config, 'APP_ORIGINS' | 'PUBLIC_URL'>
): string | undefined {
  if (!isPageVisit(headers)) return undefined
  const app = APP_ORIGINS.find(origin => new URL(origin).host === headers['x-forwarded-host'])
  const login = app ? new URL('/login', PUBLIC_URL).href : '/login'
  const path = String(headers['x-forwarded-uri'] ?? '')
  const returnPath = encodeURIComponent(app && path.startsWith('/') ? app + path : path)
  return returnPath && returnPath.length <= MAX_RETURN_PATH_LENGTH ? `${login}?next=${returnPath}` : login
}

/** A cookie or a mail keeps the path during a sign-in: it must not fill the header line of a reverse proxy. */
const MAX_KEPT_LENGTH = 512

/**
 * The path to open after sign-in, by the rules of the login page, or the URL of an app. `home` if `next` is missing,
 * unsafe or too long. A path that is too long only because of its fragment loses the fragment.
 */
export function returnPath (
  next: string | undefined,
  home: string,
  { APP_ORIGINS }: Pick<Config, 'APP_ORIGINS'>
): string {
  const path = safeNext(next, home, APP_ORIGINS)
  const [withoutFragment = ''] = path.split('#')
  return [path, withoutFragment].find(each => each.length <= MAX_KEPT_LENGTH) ?? home
}

/** The same for a mail: without a path, the link in it has none. */
export const keptPath = (next: string | undefined, config: Pick<Config, 'APP_ORIGINS'>): string | undefined =>
  returnPath(next, '', config) || undefined
