import { Resolver } from 'node:dns/promises'
import type { Resolve } from '../webhooks/address.ts'

/** With both tries, most of the time that the reading of a document has. */
const QUERIES = { timeout: 1_500, tries: 2 }

/**
 * The addresses of a host that a stranger has named. `lookup` would keep a thread for as long as the name server of the
 * stranger is silent, and what the service itself looks up, such as its database, would wait for a free one.
 */
export function resolveOf (servers?: string[]): Resolve {
  return async function resolve (hostname) {
    const resolver = new Resolver(QUERIES)
    if (servers) resolver.setServers(servers)
    const of = async (family: 4 | 6, addresses: Promise<string[]>) =>
      (await addresses).map(address => ({ address, family }))
    const found = await Promise.allSettled([
      of(4, resolver.resolve4(hostname)),
      of(6, resolver.resolve6(hostname)),
    ])
    const [failed] = found.filter(each => each.status === 'rejected')
    const addresses = found.flatMap(each => each.status === 'fulfilled' ? each.value : [])
    if (addresses.length === 0 && failed) throw failed.reason
    return addresses
  }
}
