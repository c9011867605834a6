import pg from 'pg'
import { atServer, serversOf, type Server } from './address.ts'

const PROBE_TIMEOUT = 1_000

/** A promotion begins a new timeline. The standby of a primary has none of its own. */
const ASK = `
  SELECT pg_is_in_recovery() AS standby, CASE WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`

interface Role { standby: boolean, timeline: number }

/** Clients that connect to the primary among several servers. */
export function createPrimaryClient (connectionString: string): typeof pg.Client {
  const servers = serversOf(connectionString)
  /** The latest that was seen. A former primary that comes back writable has an earlier one. */
  let timeline = 0
  let primary: Server | undefined
  let searching: Promise<Server> | undefined

  const isPrimary = (role: Role) => !role.standby && role.timeline >= timeline

  async function probe (server: Server): Promise<{ server: Server, role: Role } | undefined> {
    const client = new pg.Client({
      connectionString: atServer(connectionString, server),
      application_name: 'gatehouse primary',
      connectionTimeoutMillis: PROBE_TIMEOUT,
      query_timeout: PROBE_TIMEOUT,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      return { server, role: (await client.query<Role>(ASK)).rows[0] as Role }
    } catch {
      return undefined
    } finally {
      client.end().catch(() => {})
    }
  }

  /** Asks all servers, because two may accept writes. */
  async function search (): Promise<Server> {
    const found = (await Promise.all(servers.map(probe))).filter(each => each !== undefined)
    const [best] = found.filter(({ role }) => isPrimary(role)).sort((a, b) => b.role.timeline - a.role.timeline)
    if (!best) throw notFound(found.length)
    timeline = best.role.timeline
    return best.server
  }

  async function find (): Promise<Server> {
    searching ??= search().finally(() => { searching = undefined })
    primary ??= await searching
    return primary
  }

  const forget = () => { primary = undefined }

  return class PrimaryClient extends pg.Client {
    override connect (callback?: (...results: any[]) => void): any {
      const connected = this.#connectToPrimary()
      if (!callback) return connected
      connected.then(() => callback(), callback)
    }

    async #connectToPrimary () {
      const server = primary ?? await find()
      Object.assign(this, server)
      this.on('error', forget)
      try {
        await super.connect()
        const { rows: [role] } = await this.query<Role>(ASK)
        if (!role || !isPrimary(role)) throw notFound(servers.length)
      } catch (error) {
        forget()
        super.end().catch(() => {})
        throw error
      }
    }
  }
}

function notFound (answered: number): Error {
  // The SQLSTATE of a server that cannot be used now.
  return Object.assign(new Error(`none of the servers is the primary: ${answered} answered`), { code: '57P03' })
}
