import { isIP, isIPv4 } from 'node:net'

/** An address or a CIDR; never a hop count or `true`, which would believe what a client claims. */
export function isTrustable (entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  if (isIP(address) === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) > 0 && Number(prefix) <= (isIPv4(address) ? 32 : 128))
}
