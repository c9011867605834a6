import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'

/** What stands for an address that cannot be read: the unspecified one, so that all of them are one client. */
const UNKNOWN = '::'

/** An address or a CIDR; never a hop count or `true`, which would believe what a client claims. */
export function isTrustable (entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  if (isIP(address) === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) > 0 && Number(prefix) <= (isIPv4(address) ? 32 : 128))
}

/** One way to write each address: without a zone or the port that some front ends add, and IPv4 as IPv4 however it arrived. */
export function plainAddress (ip: string | undefined): string {
  const bare = ip?.trim().match(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/)
  const address = (bare?.[1] ?? bare?.[2] ?? ip ?? '').trim().split('%')[0] ?? ''
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return UNKNOWN
  const written = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = written.replace(/^::ffff:/, '')
  return isIPv4(mapped) ? mapped : written
}

/** Who counts as one client: an IPv4 address, or an IPv6 /64, which is the least that a provider gives a customer. */
export function clientGroup (ip: string | undefined): string {
  return normalizeIP(plainAddress(ip), 64)
}
