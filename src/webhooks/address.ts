import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { HttpError } from '../errors.ts'

/** An address or URL that messages are not sent to. The message says why. */
export class RefusedAddress extends HttpError {
  constructor (reason: string) {
    super(400, reason)
  }
}

interface ResolvedAddress { address: string, family: number }
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>

/** Special addresses of the IANA registries: private, loopback, link-local (metadata of clouds), multicast, … */
const SPECIAL = new BlockList()
for (const range of [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24',
  '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3',
]) {
  const [net = '', bits] = range.split('/')
  SPECIAL.addSubnet(net, Number(bits), 'ipv4')
}

/** Public IPv6 addresses, except those that hold an IPv4 address or have a special purpose. */
const PUBLIC_V6 = new BlockList()
PUBLIC_V6.addSubnet('2000::', 3, 'ipv6')
const SPECIAL_V6 = new BlockList()
for (const [net, bits] of [['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['2620:4f:8000::', 48],
  ['3fff::', 20]] as const) SPECIAL_V6.addSubnet(net, bits, 'ipv6')

export function isPublic (address: string): boolean {
  if (isIP(address) === 4) return !SPECIAL.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  return PUBLIC_V6.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6')
}

/** `privateAllowed`: WEBHOOK_PRIVATE=allow. */
export interface AddressRules { production: boolean, privateAllowed: boolean }

export function rulesOf ({ NODE_ENV, WEBHOOK_PRIVATE }: { NODE_ENV: string, WEBHOOK_PRIVATE: string }): AddressRules {
  return { production: NODE_ENV === 'production', privateAllowed: WEBHOOK_PRIVATE === 'allow' }
}

const PRIVATE = 'The host has a private or special address. See WEBHOOK_PRIVATE.'

export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

/** Throws RefusedAddress. What a name resolves to is checked for each message. */
export function checkUrl (text: string, { production, privateAllowed }: AddressRules): URL {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw new RefusedAddress('It is not an https: URL.')
  if (production && url.protocol === 'http:') throw new RefusedAddress('In production, the URL must be https:.')
  if (url.username || url.password) throw new RefusedAddress('The URL must not have a user name or password.')
  if (url.href.length > 2_000) throw new RefusedAddress('The URL is too long.')
  if (!privateAllowed && isIP(hostOf(url)) && !isPublic(hostOf(url))) throw new RefusedAddress(PRIVATE)
  url.hash = ''
  return url
}

const resolveName: Resolve = hostname => lookup(hostname, { all: true })

/** Resolves the host once. The connection must go to an address that this returns: a second answer may differ. */
export async function resolveHost (
  url: URL,
  { privateAllowed, resolve = resolveName }: Pick<AddressRules, 'privateAllowed'> & { resolve?: Resolve }
): Promise<[ResolvedAddress, ...ResolvedAddress[]]> {
  const host = hostOf(url)
  const family = isIP(host)
  const addresses = family ? [{ address: host, family }] : await resolve(host)
  const [first, ...others] = addresses
  if (!first) throw new RefusedAddress('The host has no address.')
  if (!privateAllowed && !addresses.every(({ address }) => isPublic(address))) {
    throw new RefusedAddress(PRIVATE)
  }
  return [first, ...others]
}
