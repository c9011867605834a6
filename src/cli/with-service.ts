import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../config.ts'
import { Unreachable } from './command.ts'

/** For the job queue to connect to PostgreSQL. Mails are sent through it. */
const START_TIMEOUT = 10_000

const running = new AsyncLocalStorage<FastifyInstance>()

/** Commands that `work` runs use this service, which is running already, instead of one of their own. */
export const onService = <T>(app: FastifyInstance, work: () => Promise<T>): Promise<T> => running.run(app, work)

/** Runs `work` with the service, which does not listen, so that commands follow the same rules as requests. */
export async function withService<T> (work: (app: FastifyInstance) => Promise<T>): Promise<T> {
  const given = running.getStore()
  if (given) return work(given)
  // Loaded on demand, so that a prompt before it appears at once.
  const { buildApp } = await import('../app.ts')
  const app = buildApp({ ...loadConfig(), LOG_LEVEL: 'silent' }, undefined, { routes: false })
  // The settings of this shell may differ from those of the service: mails and purges are left to its instances.
  app.register(async ({ jobs, revocations }) => {
    jobs.addOnly()
    revocations.ignore()
  })
  try {
    await app.ready()
    // Before the job queue, because this query fails with the reason.
    await app.database.query('SELECT FROM users LIMIT 0')
    await Promise.race([app.jobs.connected(), timeout()])
    return await work(app)
  } finally {
    await app.close()
  }
}

async function timeout (): Promise<never> {
  await sleep(START_TIMEOUT, undefined, { ref: false })
  throw new Unreachable('The job queue cannot connect to PostgreSQL. Run gatehouse migrate or gatehouse doctor.')
}
