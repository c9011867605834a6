import { safeNext } from '../../pages/parts/safe-next.js'

export function isHttps (url = ''): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:'
}

export function isHttp (url = ''): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

/** A scheme, a host and perhaps a port. A slash at the end changes nothing. */
export function isOrigin (url: string): boolean {
  return isHttp(url) && /^https?:\/\/[^\p{Cc}\s/?#@\\]+\/?$/iu.test(url)
}

/** This machine, which browsers trust without https. */
export function isLoopback (url: string): boolean {
  return URL.canParse(url) && ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
}

/** The pages apply the same rule to `?next=`. */
export function isLocalPath (path: string): boolean {
  return safeNext(path, '') !== ''
}
