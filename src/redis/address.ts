interface Node { host: string, port: number }

export interface RedisAddress {
  kind: 'single' | 'cluster' | 'sentinel'
  nodes: Node[]
  tls: boolean
  username?: string
  password?: string
  db?: number
  /** What the sentinels call the master. */
  name?: string
  sentinelPassword?: string
}

const SHAPE = /^redis(s?)(?:-(cluster|sentinel))?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?]+)(?:\/([^/?]*))?(?:\?sentinelPassword=(.+))?$/

/** `undefined` for what cannot be read. */
export function parseRedisAddress (url = ''): RedisAddress | undefined {
  try {
    return read(url)
  } catch {
    return undefined
  }
}

function read (url: string): RedisAddress | undefined {
  const [, tls, kind = 'single', username, password, hosts = '', path, sentinelPassword] = url.match(SHAPE)?.map(part => part && decodeURIComponent(part)) ?? []
  const nodes = hosts.split(',').map(host => readNode(host, kind === 'sentinel' ? 26379 : 6379))
  const common = { nodes, tls: tls === 's', ...(username && { username }), ...(password && { password }) }

  if (kind === 'sentinel') return path ? { kind, ...common, name: path, ...(sentinelPassword && { sentinelPassword }) } : undefined
  if (sentinelPassword) return undefined
  if (kind === 'cluster') return path ? undefined : { kind, ...common }
  return nodes.length === 1 && /^\d*$/.test(path ?? '') ? { kind: 'single', ...common, db: Number(path ?? 0) } : undefined
}

function readNode (host: string, defaultPort: number): Node {
  const { hostname, port } = new URL(`redis://${host}`)
  if (!hostname) throw new TypeError('no host')
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }
}
