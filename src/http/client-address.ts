import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'

/** Replaces invalid addresses: all of them count as one client. */
const UNKNOWN = '::'

/** An address or a CIDR. A hop count or `true` would trust addresses that clients can forge. */
export function isTrustable (entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  if (isIP(address) === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) > 0 && Number(prefix) <= (isIPv4(address) ? 32 : 128)
}

/** Normalizes an address: no zone, no port (which some proxies add), and IPv4-mapped IPv6 as IPv4. */
export function plainAddress (ip: string | undefined): string {
  const bare = ip?.trim().match(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/)
  const address = (bare?.[1] ?? bare?.[2] ?? ip ?? '').trim().split('%')[0] ?? ''
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return UNKNOWN
  const written = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = written.replace(/^::ffff:/, '')
  return isIPv4(mapped) ? mapped : written
}

/** What counts as one client: an IPv4 address, or an IPv6 /64, the smallest network that a customer is given. */
export function clientGroup (ip: string | undefined): string {
  return normalizeIP(plainAddress(ip), 64)
}
