import { isIP } from 'node:net'

const KNOWN: Record<string, string> = {
  'accounts.google.com': 'Google',
  'github.com': 'GitHub',
  'gitlab.com': 'GitLab',
  'login.microsoftonline.com': 'Microsoft',
  'appleid.apple.com': 'Apple',
}

/** What people call the provider at this address: a name, its host, or the spec's word where that says nothing. */
export function providerName (authorizeUrl: string, otherwise: string): string {
  const { hostname } = new URL(authorizeUrl)
  return KNOWN[hostname] ?? (isIP(hostname) || !hostname.includes('.') ? otherwise : hostname)
}
