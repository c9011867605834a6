import pg from 'pg'
import type { Config } from '../config.ts'
import { atServer, serversOf } from './address.ts'
import { createPrimaryClient } from './primary-client.ts'

const CONNECT_TIMEOUT = 2_000
const STATEMENT_TIMEOUT = 5_000

/** All connections of this process share what they know of the servers. */
const clients = new Map<string, typeof pg.Client>()

/** Options for a client, and the class of clients that connects to the primary if there are several servers. */
export function connectTo (connectionString?: string): { connectionString?: string, Client: typeof pg.Client } {
  const [first, second] = serversOf(connectionString)
  if (!connectionString || !first || !second) return { connectionString, Client: pg.Client }
  const Client = clients.get(connectionString) ?? createPrimaryClient(connectionString)
  clients.set(connectionString, Client)
  return { connectionString: atServer(connectionString, first), Client }
}

/** The settings that decide how to connect. */
export type ConnectionSettings = Pick<Config, 'DATABASE_URL' | 'DATABASE_PREPARE'>

/** Options for every connection of the service. A pooler refuses or ignores what concerns a whole connection. */
export function serviceConnection ({ DATABASE_URL, DATABASE_PREPARE }: ConnectionSettings) {
  return {
    ...connectTo(DATABASE_URL),
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    ...(DATABASE_PREPARE === 'on' && {
      statement_timeout: STATEMENT_TIMEOUT,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT,
    }),
    // Later than the timeout of the server itself: this one ends queries only when the server hangs.
    query_timeout: STATEMENT_TIMEOUT + 1_000,
    keepAlive: true,
  }
}
