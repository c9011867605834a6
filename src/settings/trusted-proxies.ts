import { isIP, isIPv4 } from 'node:net'

interface Range { first: bigint, last: bigint }

/** IPv4 addresses are compared as IPv4-mapped IPv6, so that `::ffff:0:0/96` and `::/1` count as all of IPv4. */
const MAPPED_PREFIX = 96

/** The addresses that clients on the Internet have, for each family. */
const CLIENTS: Range[][] = [
  [range('1.0.0.0', '9.255.255.255'), range('11.0.0.0', '126.255.255.255'), range('128.0.0.0', '223.255.255.255')],
  [range('2000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')],
]

/** An address or a CIDR. A hop count or `true` would trust addresses that clients can forge. */
export function isTrustable (entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  if (isIP(address) === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv4(address) ? 32 : 128))
}

/** Whether the entries together contain every client of one address family. Each must be trustable. */
export function trustsEveryClient (entries: string[]): boolean {
  const trusted = entries.map(rangeOf).sort((a, b) => a.first < b.first ? -1 : 1)
  return CLIENTS.some(family => family.every(clients => covers(trusted, clients)))
}

/** `trusted` is sorted by its first addresses. */
function covers (trusted: Range[], { first, last }: Range): boolean {
  let next = first
  for (const range of trusted) {
    if (range.first <= next && range.last >= next) next = range.last + 1n
  }
  return next > last
}

function rangeOf (entry: string): Range {
  const [address = '', prefix = isIPv4(address) ? '32' : '128'] = entry.split('/')
  const size = 128n - BigInt(Number(prefix) + (isIPv4(address) ? MAPPED_PREFIX : 0))
  const first = numberOf(address) >> size << size
  return { first, last: first + (1n << size) - 1n }
}

function range (first: string, last: string): Range {
  return { first: numberOf(first), last: numberOf(last) }
}

function numberOf (address: string): bigint {
  // The URL parser writes each group in hexadecimal, also those of `::ffff:10.0.0.1`.
  const written = new URL(`http://[${isIPv4(address) ? `::ffff:${address}` : address.split('%')[0]}]`).hostname
  const [left = [], right = []] = written.slice(1, -1).split('::').map(half => half.split(':').filter(Boolean))
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return groups.reduce((number, group) => number << 16n | BigInt(`0x${group}`), 0n)
}
