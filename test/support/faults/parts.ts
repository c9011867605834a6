import type { Test } from 'tap'
import { pg, SERVICE_PASSWORD, startOwnPostgres, startRedis, TEMPLATE } from '../build.ts'
import { eventually } from '../process.ts'
import { startSmtp } from '../smtp.ts'
import { OWNER_PASSWORD } from '../stack.ts'
import { childrenOf, isThere, signalIfThere } from './process-signals.ts'

export type Ending = Pick<Test, 'teardown'>

/** A PostgreSQL that can be killed, frozen and started again, and an owner who is never in the way of a fault. */
async function startDatabase (t: Ending) {
  const postgres = await startOwnPostgres(t)
  let { pid } = postgres
  const owner = new pg.Pool({ connectionString: postgres.url('postgres', OWNER_PASSWORD, TEMPLATE), max: 2 })
  owner.on('error', () => {})

  const everyProcess = () => [pid, ...childrenOf(pid)]
  const signalAll = (signal: NodeJS.Signals) => everyProcess().forEach(each => signalIfThere(each, signal))
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
      signalIfThere(pid, 'SIGKILL')
      // Its children notice, and nothing can start before the last of them is gone.
      await eventually(
        () => all.filter(isThere),
        left => left.length === 0,
        10_000
      )
    },
    async restart () {
      pid = (await postgres.restart()).pid
    },
  }
}

async function startCounterStore (t: Ending) {
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
export type CounterStore = Awaited<ReturnType<typeof startCounterStore>>
export type MailServer = Awaited<ReturnType<typeof startSmtp>>

/** What all instances share. */
export interface Parts {
  database: Database
  counters: CounterStore
  mail: MailServer
}

export async function startParts (t: Ending): Promise<Parts> {
  const [database, counters, mail] = await Promise.all([startDatabase(t), startCounterStore(t), startSmtp(t)])
  return { database, counters, mail }
}
