import { isIP } from 'node:net'

const KNOWN: Record<string, string> = {
  'accounts.google.com': 'Google',
  'github.com': 'GitHub',
  'gitlab.com': 'GitLab',
  'login.microsoftonline.com': 'Microsoft',
  'appleid.apple.com': 'Apple',
}

/** The provider's name as users know it: a known name, its host, or `fallback` for an IP address or a bare host. */
export function providerName (authorizeUrl: string, fallback: string): string {
  const { hostname } = new URL(authorizeUrl)
  return KNOWN[hostname] ?? (isIP(hostname) || !hostname.includes('.') ? fallback : hostname)
}
