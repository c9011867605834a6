/** Where an application is, for people: the host of its address, or the scheme of an app on a device. */
export function applicationHost (redirectUri: string | undefined): string {
  if (!redirectUri || !URL.canParse(redirectUri)) return ''
  const { host, protocol } = new URL(redirectUri)
  return host || protocol.slice(0, -1)
}
