import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { setTimeout as sleep } from 'node:timers/promises'
import { PgBoss, type Job, type JobResult, type WorkOptions } from 'pg-boss'
import { Unavailable } from '../../src/errors.ts'
import { ADD_ONLY, COUNT_WAITING, serviceOptions, type QueueName } from '../../src/database/job-queues.ts'
import type { Queryable } from './database.ts'

declare module 'fastify' {
  interface FastifyInstance { jobs: ReturnType<typeof createJobs> }
}

/** The first attempt is 0. */
export interface Attempt { job: string, attempt: number }
type Handler = (data: any, attempt: Attempt) => Promise<unknown>

const POLLING: Record<QueueName, WorkOptions> = {
  // PostgreSQL tells us of a new mail at once. Asking as well finds those that are to be tried again.
  mail: { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 2, batchSize: 10, burstWhenBatchFull: true },
  purge: { pollingIntervalSeconds: 30 },
}

/** A start does not wait longer than this for PostgreSQL. */
const BOOT_TIMEOUT = 1_000
const RETRY_EVERY = 500
/** Work under way has this long to end; what has not is done by another instance. */
const STOP_TIMEOUT = 5_000
/** An outage is one line in this time, not one for each question that went unanswered. */
const REPORT_EVERY = 10_000

function createJobs (app: FastifyInstance) {
  const handlers = new Map<QueueName, Handler>()
  const closing = new AbortController()
  let latest: PgBoss | undefined
  let started: PgBoss | undefined
  let working = true
  let failing = false
  let quietUntil = 0
  const connected = Promise.withResolvers<void>()

  function report (err: unknown) {
    if (performance.now() < quietUntil || closing.signal.aborted) return
    quietUntil = performance.now() + REPORT_EVERY
    app.log.warn({ err }, 'the job queue does not get through to PostgreSQL')
  }

  /** A new one for each try: one that failed half-way leaves timers behind when it is started again. */
  async function tryToStart () {
    const boss = latest = new PgBoss({ ...serviceOptions(app.config.DATABASE_URL), ...(working ? {} : ADD_ONLY) })
    boss.on('error', report)
    boss.on('warning', ({ message }) => app.log.warn(message))
    try {
      await boss.start()
      // A start forgives that the list of queues could not be read; here it must be there.
      await boss.findJobs('mail', { key: '' })
      if (working) await takeUpWork(boss)
      started = boss
      failing = false
      connected.resolve()
    } catch (error) {
      failing = true
      await boss.stop({ graceful: false }).catch(report)
      throw error
    }
  }

  async function takeUpWork (boss: PgBoss) {
    for (const [queue, handler] of handlers) {
      await boss.work(queue, { ...POLLING[queue], perJobResults: true }, jobs => runAll(queue, handler, jobs))
    }
  }

  /** Side by side, but for those of one line: they go one after another. */
  async function runAll (queue: QueueName, handler: Handler, jobs: Job<any>[]): Promise<JobResult[]> {
    const lines = Object.values(Object.groupBy(jobs, ({ id, groupId }) => groupId ?? id)) as Job<any>[][]
    const results: JobResult[] = []
    await Promise.all(lines.map(async line => {
      for (const job of line) results.push(await run(queue, handler, job))
    }))
    return results
  }

  async function run (queue: QueueName, handler: Handler, { id, data, retryCount }: Job<any>): Promise<JobResult> {
    try {
      await handler(data, { job: id, attempt: retryCount })
      return { id, status: 'completed' }
    } catch (err) {
      app.log.warn({ err, queue, job: id, attempt: retryCount }, 'a job failed')
      return { id, status: 'failed' }
    }
  }

  async function start () {
    while (!started && !closing.signal.aborted) {
      await tryToStart().catch(async error => {
        report(error)
        await sleep(RETRY_EVERY, undefined, { signal: closing.signal }).catch(() => {})
      })
    }
  }

  let stopping: Promise<void> | undefined
  /** Whoever handles jobs waits for this before they close what they need for it. */
  function stop (): Promise<void> {
    stopping ??= stopWorking()
    return stopping
  }

  async function stopWorking () {
    closing.abort()
    const stopped = latest?.stop({ timeout: STOP_TIMEOUT }).catch(report)
    // Asked while PostgreSQL hangs, it would wait for every question under way.
    await Promise.race([stopped, sleep(STOP_TIMEOUT + 1_000, undefined, { ref: false })])
  }

  app.addHook('onReady', () => Promise.race([start(), sleep(BOOT_TIMEOUT, undefined, { ref: false })]))
  app.addHook('onClose', stop)

  return {
    stop,

    /** A start does not wait for it longer than a moment. */
    connected: () => connected.promise,

    /** The last try to connect failed, and there is no connection yet. */
    get failing () { return failing },

    /** For whoever may have other settings than the service: the jobs that wait are left to it. To be said before the service is ready. */
    addOnly () {
      working = false
    },

    /** What is done with a job. A throw means: again, later. To be said before the service is ready. */
    handle<T extends object> (queue: QueueName, handler: (data: T, attempt: Attempt) => Promise<unknown>) {
      handlers.set(queue, handler)
    },

    async waiting (queue: QueueName): Promise<number> {
      const { rows } = await app.database.query<{ waiting: number }>(COUNT_WAITING, [queue])
      return rows[0]?.waiting ?? 0
    },

    /** Stands and falls with the transaction of the caller, and is begun as soon as that is committed. */
    async add (client: Queryable, queue: QueueName, data: object, line?: string) {
      if (!started) throw new Unavailable(new Error('the job queue is not connected yet'))
      await started.send(queue, data, {
        group: line ? { id: line } : undefined,
        db: { executeSql: (text, values) => client.query(text, values) },
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('jobs', createJobs(app))
}, { name: 'jobs', dependencies: ['database'] })
