import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '../../../demo/postgres.ts'
import { pg, SERVICE_PASSWORD, TEMPLATE } from '../build.ts'
import type { Teardown } from '../faults/dependencies.ts'
import { childrenOf, isRunning, signalIfRunning } from '../faults/process-signals.ts'
import { startProxy } from '../faults/tcp-proxy.ts'
import { eventually } from '../patience.ts'
import { readServers } from '../servers/servers.ts'
import { OWNER_PASSWORD, seedPostgres, temporaryFolder } from '../stack.ts'

const untilEndOf = (t: Teardown) => ({
  onEnd (end: () => unknown) {
    t.teardown(end)
  },
})

type Settings = Record<string, string | number>

const COMMON: Settings = { fsync: 'off', full_page_writes: 'off', max_connections: 200 }

/** A server on a copy of the data folder that all others have begun with. */
async function startServer (t: Teardown, seed: string, settings: Settings, isStandby: boolean) {
  const { onEnd } = untilEndOf(t)
  const dir = join(temporaryFolder(onEnd), 'postgres')
  await promisify(execFile)('cp', ['-a', seed, dir])
  if (isStandby) writeFileSync(join(dir, 'standby.signal'), '')
  let running = await start(settings)
  const owner = new pg.Pool({ connectionString: running.url('postgres', OWNER_PASSWORD, TEMPLATE), max: 2 })
  owner.on('error', () => {})
  t.teardown(() => owner.end())

  async function start (settings: Settings, preferredPort?: number) {
    const started = await startPostgres({
      dir,
      password: OWNER_PASSWORD,
      preferredPort,
      settings: { ...COMMON, ...settings },
    })
    t.teardown(started.stop)
    return started
  }

  return {
    port: running.port,
    owner,
    url: running.url('gatehouse', SERVICE_PASSWORD, TEMPLATE),
    /** Like the loss of its machine: every process at once. */
    async kill () {
      const all = [running.pid, ...childrenOf(running.pid)]
      for (const pid of all) signalIfRunning(pid, 'SIGKILL')
      await eventually(() => all.filter(isRunning), left => left.length === 0)
    },
    /** An orderly shutdown: the standby gets everything. */
    stop: () => running.stop(),
    /** On the same port, with these settings instead. */
    async restart (settings: Settings = {}, { asStandby = false } = {}) {
      if (asStandby) writeFileSync(join(dir, 'standby.signal'), '')
      running = await start(settings, running.port)
    },
    async promote () {
      await owner.query('SELECT pg_promote()')
    },
  }
}

export const replicationFrom = (port: number): Settings => ({
  primary_conninfo: `host=127.0.0.1 port=${port} user=postgres password=${OWNER_PASSWORD} application_name=standby`,
  wal_retrieve_retry_interval: '200ms',
})

/** A primary, and a standby that replicates through a proxy. A commit waits for the standby if it is synchronous. */
export async function startPostgresPair (t: Teardown, { synchronous = true } = {}) {
  const seed = readServers()?.seed ?? await seedPostgres(untilEndOf(t))
  const primary = await startServer(t, seed, synchronous ? { synchronous_standby_names: 'standby' } : {}, false)
  const replication = await startProxy(t, primary.port)
  const standby = await startServer(t, seed, replicationFrom(replication.port), true)
  const states = () => primary.owner.query<{ state: string }>('SELECT state FROM pg_stat_replication')
  await eventually(states, ({ rows }) => rows[0]?.state === 'streaming')
  return { primary, standby, replication }
}
