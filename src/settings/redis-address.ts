interface Node { host: string, port: number }

export interface RedisAddress {
  kind: 'single' | 'cluster' | 'sentinel'
  nodes: Node[]
  tls: boolean
  username?: string
  password?: string
  db?: number
  /** The name of the master in the Sentinel configuration. */
  name?: string
  sentinelPassword?: string
}

/** scheme, credentials, hosts, path, query */
const ADDRESS = new RegExp([
  /^redis(s?)(?:-(cluster|sentinel))?:\/\//,
  /(?:([^:@/]*)(?::([^@/]*))?@)?/,
  /([^@/?]+)/,
  /(?:\/([^/?]*))?/,
  /(?:\?sentinelPassword=(.+))?$/,
].map(({ source }) => source).join(''))

/** Returns `undefined` for an invalid address. */
export function parseRedisAddress (url = ''): RedisAddress | undefined {
  try {
    return parse(url)
  } catch {
    return undefined
  }
}

function parse (url: string): RedisAddress | undefined {
  const parts = url.match(ADDRESS)?.map(part => part && decodeURIComponent(part)) ?? []
  const [, tls, kind = 'single', username, password, hosts = '', path, sentinelPassword] = parts
  const nodes = hosts.split(',').map(host => parseNode(host, kind === 'sentinel' ? 26379 : 6379))
  const common = { nodes, tls: tls === 's', ...(username && { username }), ...(password && { password }) }

  if (kind === 'sentinel') {
    return path ? { kind, ...common, name: path, ...(sentinelPassword && { sentinelPassword }) } : undefined
  }
  if (sentinelPassword) return undefined
  if (kind === 'cluster') return path ? undefined : { kind, ...common }
  if (nodes.length > 1 || !/^\d*$/.test(path ?? '')) return undefined
  return { kind: 'single', ...common, db: Number(path ?? 0) }
}

function parseNode (host: string, defaultPort: number): Node {
  const { hostname, port } = new URL(`redis://${host}`)
  if (!hostname) throw new TypeError('no host')
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }
}
