/**
 * Where an application is, for people: the host of its address. Of an app on a device, the scheme: what follows is no
 * host, and the app can write anything there.
 */
export function applicationHost (redirectUri: string | undefined): string {
  if (!redirectUri || !URL.canParse(redirectUri)) return ''
  const { host, protocol } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}
