export interface Server { host: string, port: number }

/** scheme and credentials, servers, path and query */
const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^@/?]+)([/?].*)?$/
const DEFAULT_PORT = 5432

/** The servers that a connection string names: as in libpq, there may be several, separated by commas. */
export function serversOf (connectionString = ''): Server[] {
  const [, , servers = ''] = connectionString.match(ADDRESS) ?? []
  return servers.split(',').filter(Boolean).map(parseServer)
}

/** The connection string for one of its servers: the driver accepts no list. */
export function atServer (connectionString: string, { host, port }: Server): string {
  const name = host.includes(':') ? `[${host}]` : host
  return connectionString.replace(ADDRESS, (_, begin, _servers, end = '') => `${begin}${name}:${port}${end}`)
}

function parseServer (server: string): Server {
  const { hostname, port } = new URL(`postgres://${server}`)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) }
}
