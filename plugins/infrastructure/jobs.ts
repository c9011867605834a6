import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { PgBoss, type WorkOptions } from 'pg-boss'
import { Unavailable } from '../../src/errors.ts'
import { serviceConnection } from '../../src/database/connection.ts'
import {
  ADD_ONLY, COUNT_WAITING, QUEUE_CONNECTIONS, SERVICE_OPTIONS, type QueueName,
} from '../../src/database/job-queues.ts'
import { atMostEvery } from '../../src/observability/at-most-every.ts'
import { runJobs, type Attempt, type Handler } from '../../src/database/run-jobs.ts'
import type { Queryable } from './database.ts'

declare module 'fastify' {
  interface FastifyInstance { jobs: ReturnType<typeof createJobs> }
}

const POLLING: Record<QueueName, WorkOptions> = {
  // PostgreSQL notifies us of new mails at once. Polling finds those that are due for a retry, or were not announced.
  mail: {
    pollingIntervalSeconds: 1,
    batchSize: 10,
    burstWhenBatchFull: true,
    // Fair between mailboxes: an instance sends one mail at a time to each. The order is not kept: of two workers that
    // fetch at once, each may take a mail of one mailbox. Other instances take some, too, and a retry comes later.
    localGroupConcurrency: 1,
  },
  purge: { pollingIntervalSeconds: 30 },
  'alert-summaries': { pollingIntervalSeconds: 30 },
}

const WORKERS: Record<QueueName, number> = { mail: 2, purge: 1, 'alert-summaries': 1 }

/** Startup goes on without PostgreSQL after this time. */
const BOOT_TIMEOUT = 1_000
const RETRY_INTERVAL = 500
/** Running jobs may take this long to finish. Another instance repeats those that do not. */
const STOP_TIMEOUT = 5_000
/** During an outage, one log line in this time instead of one for each failed query. */
const REPORT_INTERVAL = 10_000
/** Longer than a new connection and a query may take, and a poll until then. */
const LOST_AFTER = 10_000

interface Job { data: object, group?: string, priority?: number }

function createJobs (app: FastifyInstance) {
  const handlers = new Map<QueueName, Handler>()
  const workers = new Map<string, string[]>()
  const pool = new pg.Pool({
    ...serviceConnection(app.config),
    application_name: 'gatehouse jobs',
    max: QUEUE_CONNECTIONS,
  })
  const closing = new AbortController()
  let latest: PgBoss | undefined
  let started: PgBoss | undefined
  let working = true
  let answeredAt = -Infinity
  let reported = false
  const connected = Promise.withResolvers<void>()

  const report = atMostEvery(REPORT_INTERVAL, (err: unknown) => {
    if (closing.signal.aborted) return
    reported = true
    app.log.warn({ err }, 'the job queue cannot reach PostgreSQL')
  })
  pool.on('error', report)

  async function executeSql (text: string, values?: unknown[]) {
    const result = await pool.query(text, values)
    answeredAt = performance.now()
    if (reported) app.log.info('the job queue reaches PostgreSQL again')
    reported = false
    return result
  }

  /** Workers ask every second. */
  const isUp = () => started !== undefined && performance.now() - answeredAt < LOST_AFTER

  /** A new instance for each try: starting one again after it failed would leave timers behind. */
  async function tryStart () {
    const boss = latest = new PgBoss({ ...SERVICE_OPTIONS, ...(working ? {} : ADD_ONLY), db: { executeSql } })
    boss.on('error', report)
    boss.on('warning', ({ message }) => app.log.warn(message))
    try {
      await boss.start()
      // start() ignores a failure to read the list of queues, but we need the queues.
      await boss.findJobs('mail', { key: '' })
      if (working) await startWorkers(boss)
      started = boss
      connected.resolve()
    } catch (error) {
      await boss.stop({ graceful: false }).catch(report)
      throw error
    }
  }

  async function startWorkers (boss: PgBoss) {
    // The workers of a failed try no longer exist.
    workers.clear()
    for (const [queue, handler] of handlers) {
      for (let each = 0; each < WORKERS[queue]; each++) await startWorker(boss, queue, handler)
    }
  }

  async function startWorker (boss: PgBoss, queue: QueueName, handler: Handler) {
    const id = await boss.work(queue, { ...POLLING[queue], perJobResults: true }, async jobs => {
      const results = await runJobs(jobs, handler, (err, job) => app.log.warn({ err, queue, ...job }, 'a job failed'))
      // The next ones of the same groups may wait: it looks again at once.
      boss.notifyWorker(id)
      return results
    })
    workers.set(queue, [...workers.get(queue) ?? [], id])
  }

  async function start () {
    while (!started && !closing.signal.aborted) {
      await tryStart().catch(async error => {
        report(error)
        await sleep(RETRY_INTERVAL, undefined, { signal: closing.signal }).catch(() => {})
      })
    }
  }

  let starting: Promise<void> = Promise.resolve()
  let stopping: Promise<void> | undefined
  /** Plugins with a handler await this before they close what the handler needs. */
  function stop (): Promise<void> {
    stopping ??= stopWorking()
    return stopping
  }

  async function stopWorking () {
    closing.abort()
    // A queue that is starting must finish that first, or its connections would stay open.
    const stopped = starting.then(() => latest && stopBoss(latest)).then(() => pool.end()).catch(report)
    // While PostgreSQL hangs, stop() would wait for every running query.
    await Promise.race([stopped, sleep(STOP_TIMEOUT + 1_000, undefined, { ref: false })])
  }

  /** A graceful stop() would look only every half second whether the workers have ended. */
  async function stopBoss (boss: PgBoss) {
    const ended = [...handlers.keys()].map(queue => boss.offWork(queue, { wait: true }))
    await Promise.race([Promise.all(ended), sleep(STOP_TIMEOUT, undefined, { ref: false })])
    await boss.stop({ graceful: false })
  }

  app.revocations.onJob(queue => {
    for (const worker of workers.get(queue) ?? []) started?.notifyWorker(worker)
  })
  app.metrics.gauge('gatehouse_job_queue_up',
    'Whether the job queue was answered by PostgreSQL within 10 seconds (1 or 0)', () => Number(isUp()))
  app.addHook('onReady', function startQueue () {
    starting = start()
    return Promise.race([starting, sleep(BOOT_TIMEOUT, undefined, { ref: false })])
  })
  app.addHook('onClose', stop)

  return {
    stop,

    /** Resolves once connected, which may be after the service is ready. */
    connected: () => connected.promise,

    /** Registration needs the queue. */
    get isConnected () { return started !== undefined },

    /** Whether PostgreSQL answers it now. Without, mails are late. */
    isUp,

    /**
     * Adds jobs but runs none, for a process whose settings may differ from those of the service.
     * Call it before the app is ready.
     */
    addOnly () {
      working = false
    },

    /** Sets the handler of a queue. A job whose handler throws is retried later. Call it before the app is ready. */
    handle<T extends object> (queue: QueueName, handler: (data: T, attempt: Attempt) => Promise<unknown>) {
      handlers.set(queue, handler)
    },

    async waiting (queue: QueueName): Promise<number> {
      const { rows } = await app.database.query<{ waiting: number }>(COUNT_WAITING, [queue])
      return rows[0]?.waiting ?? 0
    },

    /**
     * Adds jobs as part of the caller's transaction: they start after the commit. Jobs of a higher priority start
     * first. An instance runs one job of a group at a time, so that a group with many of them does not hold up the
     * others. Their order is not kept.
     */
    async add (client: Queryable, queue: QueueName, jobs: Job[]) {
      if (jobs.length === 0) return
      if (!started) throw new Unavailable(new Error('the job queue is not connected yet'))
      const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
      await started.insert(queue, jobs.map(({ data, group, priority }) =>
        ({ data, group: group ? { id: group } : undefined, priority })), { db })
    },
  }
}

export default fp(async function (app) {
  app.decorate('jobs', createJobs(app))
}, { name: 'jobs', dependencies: ['database', 'metrics', 'revocations'] })
