import { HttpError } from '../errors.ts'

/** `web`: has a secret. `public`: in a browser or on a device, without one. `machine`: has one, signs no user in. */
export const APPLICATION_KINDS = ['web', 'public', 'machine'] as const
export type ApplicationKind = typeof APPLICATION_KINDS[number]

interface UriRules { kind: ApplicationKind, production: boolean }

/** A redirect or post-logout URI that an application may not use. The message names it and says why. */
export class RefusedUri extends HttpError {
  /** Without the URI, which a stranger may have written. */
  readonly reason: string

  constructor (uri: string, reason: string, better = '') {
    super(400, `${shown(uri)}: ${better ? `write it as ${shown(better)}` : reason}`)
    this.reason = reason
  }
}

const MAX_URIS = 50
const MAX_LENGTH = 2_000
const MAX_SHOWN = 200

const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost']
/** A domain in reverse, as RFC 8252 asks for, so that no two vendors choose the same. */
const PRIVATE_SCHEME = /^[a-z][a-z\d-]*(\.[a-z\d-]+)+:\/./

/** Fit for one line. */
function shown (uri: string): string {
  const text = uri.replace(/[\p{C}\p{Z}]+/gu, ' ')
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text || '(empty)'
}

/** Why its scheme and host are refused, if they are. */
function problemOf ({ protocol, hostname, href }: URL, { kind, production }: UriRules): string | undefined {
  const isLoopback = LOOPBACK_HOSTS.includes(hostname)
  if (protocol === 'https:') {
    // The provider refuses it, too.
    return kind === 'public' && isLoopback ? 'a public application uses http: on the device of the user.' : undefined
  }
  if (protocol === 'http:') {
    if (!isLoopback) return 'use https:. Only 127.0.0.1, [::1] and localhost may have http:.'
    return kind === 'public' || !production ? undefined : 'use https:. Only a public application may have http:.'
  }
  if (!PRIVATE_SCHEME.test(href)) return 'use https:, or for a device a scheme such as com.example.app:/callback.'
  return kind === 'public' ? undefined : 'only a public application may have a scheme of its own.'
}

/**
 * Redirects go to a URI that is the same character by character. So each is in the form in which browsers send it:
 * no other spelling of a host, no dot segments, no backslashes.
 */
function checkUri (uri: string, rules: UriRules): string {
  if (uri.length > MAX_LENGTH) throw new RefusedUri(uri, `at most ${MAX_LENGTH} characters.`)
  if (/[\p{C}\p{Z}]/u.test(uri)) throw new RefusedUri(uri, 'no spaces and no control characters.')
  const url = URL.parse(uri)
  if (!url) throw new RefusedUri(uri, 'this is not a complete URI.')
  if (uri.includes('#')) throw new RefusedUri(uri, 'no fragment (#).')
  if (url.username || url.password) throw new RefusedUri(uri, 'no user name and no password.')
  if (uri.includes('*')) throw new RefusedUri(uri, 'no wildcard (*). List each URI.')
  const problem = problemOf(url, rules)
  if (problem) throw new RefusedUri(uri, problem)
  if (![uri, `${uri}/`].includes(url.href)) throw new RefusedUri(uri, 'write it as browsers send it.', url.href)
  return uri
}

/** Redirect or post-logout URIs without repetitions. Throws RefusedUri. */
export function checkUris (uris: string[], rules: UriRules): string[] {
  if (uris.length > MAX_URIS) throw new HttpError(400, `At most ${MAX_URIS} URIs.`)
  return [...new Set(uris.map(uri => checkUri(uri, rules)))]
}
