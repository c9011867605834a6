import type { Test } from 'tap'
import { pg, SERVICE_PASSWORD, startOwnPostgres, startRedis, TEMPLATE } from '../build.ts'
import { eventually } from '../patience.ts'
import { startSmtp } from '../smtp.ts'
import { OWNER_PASSWORD } from '../stack.ts'
import { childrenOf, isRunning, signalIfRunning } from './process-signals.ts'

export type Teardown = Pick<Test, 'teardown'>

/** A PostgreSQL that can be killed, frozen and restarted. The owner's connections do not pass a proxy. */
async function startDatabase (t: Teardown) {
  const postgres = await startOwnPostgres(t)
  let { pid } = postgres
  const owner = new pg.Pool({ connectionString: postgres.url('postgres', OWNER_PASSWORD, TEMPLATE), max: 2 })
  owner.on('error', () => {})

  const everyProcess = () => [pid, ...childrenOf(pid)]
  const signalAll = (signal: NodeJS.Signals) => everyProcess().forEach(each => signalIfRunning(each, signal))
  t.teardown(async () => {
    signalAll('SIGCONT')
    await owner.end()
  })

  return {
    owner,
    port: postgres.port,
    url: (port: number) =>
      postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE).replace(`:${postgres.port}/`, `:${port}/`),
    stop: postgres.stop,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async kill () {
      const all = everyProcess()
      signalIfRunning(pid, 'SIGKILL')
      // The children notice and end. A new server cannot start before the last of them has ended.
      await eventually(() => all.filter(isRunning), left => left.length === 0)
    },
    async restart () {
      pid = (await postgres.restart()).pid
    },
  }
}

export async function startCounterStore (t: Teardown) {
  let redis = await startRedis(t)
  const { port } = redis
  return {
    port,
    kill: () => redis.stop(),
    freeze: () => redis.signal('SIGSTOP'),
    thaw: () => redis.signal('SIGCONT'),
    async restart () {
      redis = await startRedis(t, port)
    },
  }
}

export type Database = Awaited<ReturnType<typeof startDatabase>>
type CounterStore = Awaited<ReturnType<typeof startCounterStore>>
export type MailServer = Awaited<ReturnType<typeof startSmtp>>

/** What all instances of the service share. */
export interface Dependencies {
  database: Database
  counters: CounterStore
  mail: MailServer
}

/** What an instance needs of them. */
export interface ServiceDependencies {
  database: Pick<Database, 'port' | 'url'>
  counters: Pick<CounterStore, 'port'>
  mail: Pick<MailServer, 'url'>
}

export async function startDependencies (t: Teardown): Promise<Dependencies> {
  const [database, counters, mail] = await Promise.all([startDatabase(t), startCounterStore(t), startSmtp(t)])
  return { database, counters, mail }
}
