/**
 * Where an application is, for people: the host of its address. Of an app on a device, the scheme: what follows is no
 * host, and the app can write anything there.
 */
export function applicationHost (redirectUri: string | undefined): string {
  if (!redirectUri || !URL.canParse(redirectUri)) return ''
  const { host, protocol } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}

interface Registered { documentUrl?: string | null, redirectUris: string[] }

/**
 * What people know an application by that registered itself: it could have chosen any name. Without a document, all
 * hosts that it may send the user to: the first alone could be that of a well-known service.
 */
export function hostsOf ({ documentUrl, redirectUris }: Registered): string {
  const addresses = documentUrl ? [documentUrl] : redirectUris
  return [...new Set(addresses.map(applicationHost))].join(', ')
}
