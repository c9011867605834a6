import type { Config } from '../config.ts'
import { about, type Finding } from './finding.ts'

const { ok, warning, problem } = about('proxy')

/** Wider than any network of front ends: half of what is in there belongs to others. */
const WIDEST = { ipv4: 8, ipv6: 32 }

/** Whether the addresses that limits count by can be believed. */
export function checkProxy ({ NODE_ENV, PUBLIC_URL, TRUST_PROXY }: Config): Finding[] {
  if (TRUST_PROXY.length === 0) {
    if (!PUBLIC_URL.startsWith('https:')) return [ok('no front end is trusted: the address of a client is that of its connection.')]
    const found = 'TRUST_PROXY is empty, so that everybody who comes through the front end counts as one client: five wrong passwords lock out all.'
    const advice = 'Set TRUST_PROXY to the address or CIDR of the front end.'
    return [NODE_ENV === 'production' ? problem(found, advice) : warning(found, advice)]
  }
  const wide = TRUST_PROXY.filter(isWide)
  return [wide.length > 0
    ? warning(`${wide.join(', ')} is a wide range: whoever is in it can claim any address.`, 'List the addresses of the front ends alone in TRUST_PROXY.')
    : ok(`X-Forwarded-For is believed from ${TRUST_PROXY.join(', ')}. The front end must overwrite it, and be the only way in.`)]
}

function isWide (entry: string): boolean {
  const [address = '', prefix] = entry.split('/')
  return prefix !== undefined && Number(prefix) < (address.includes(':') ? WIDEST.ipv6 : WIDEST.ipv4)
}
