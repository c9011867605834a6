import type { Config } from '../config.ts'
import { findingsFor, type Finding } from './finding.ts'

const { ok, warning, problem } = findingsFor('proxy')

/** A shorter prefix covers more than any network of proxies: other machines would be trusted too. */
const MIN_PREFIX = { ipv4: 8, ipv6: 32 }

/** Checks whether the client addresses that limits count by can be trusted. */
export function checkProxy ({ NODE_ENV, PUBLIC_URL, TRUST_PROXY }: Config): Finding[] {
  if (TRUST_PROXY.length === 0) {
    if (!PUBLIC_URL.startsWith('https:')) {
      return [ok('No proxy is trusted: the client address is the address of the connection.')]
    }
    const found = 'TRUST_PROXY is empty: all clients behind the reverse proxy share one address. ' +
      'Five wrong passwords lock out every user.'
    const advice = 'Set TRUST_PROXY to the address or CIDR of the reverse proxy.'
    return [NODE_ENV === 'production' ? problem(found, advice) : warning(found, advice)]
  }
  const wide = TRUST_PROXY.filter(isWide)
  const trusted = TRUST_PROXY.join(', ')
  return [wide.length > 0
    ? warning(
      `${wide.join(', ')} is a wide range: every machine in it can forge client addresses.`,
      'List only the addresses of your reverse proxies in TRUST_PROXY.'
    )
    : ok(`X-Forwarded-For is trusted from ${trusted}. The proxy must overwrite it and be the only way to the service.`)]
}

function isWide (entry: string): boolean {
  const [address = '', prefix] = entry.split('/')
  return prefix !== undefined && Number(prefix) < (address.includes(':') ? MIN_PREFIX.ipv6 : MIN_PREFIX.ipv4)
}
