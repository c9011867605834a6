import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'

/** Replaces invalid addresses: all of them count as one client. */
const UNKNOWN = '::'

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

export const isAddress = (ip: string): boolean => plainAddress(ip) !== UNKNOWN

/** What counts as one client: an IPv4 address, or an IPv6 /64, the smallest network that a customer is given. */
export function clientGroup (ip: string | undefined): string {
  return normalizeIP(plainAddress(ip), 64)
}

export interface ClientInfo { ip: string, userAgent: string | null }

/** The header is controlled by the client, so it is cut off. */
const MAX_USER_AGENT_LENGTH = 400

/** The client of a request, as sessions and events store it. */
export function clientOf (request: { ip: string, headers: { 'user-agent'?: string } }): ClientInfo {
  return {
    ip: plainAddress(request.ip),
    userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
  }
}
