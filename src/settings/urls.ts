const BASE = 'http://here.invalid'

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

/** Browsers ignore tabs and newlines in URLs, treat `\` as `/`, and read `//` as the start of a host. */
export function isLocalPath (path: string): boolean {
  if (!path.startsWith('/') || /[\p{Cc}\\]/u.test(path) || !URL.canParse(path, BASE)) return false
  const { origin, pathname } = new URL(path, BASE)
  return origin === BASE && !pathname.startsWith('//')
}
