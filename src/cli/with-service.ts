import type { FastifyInstance } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../config.ts'
import { Unreachable } from './command.ts'

/** For PostgreSQL to let the job queue in, through which mails go out. */
const START_TIMEOUT = 10_000

/** The service without a listener: what holds for a request holds for a command too. Loaded late: a question before it need not wait. */
export async function withService<T> (work: (app: FastifyInstance) => Promise<T>): Promise<T> {
  const { buildApp } = await import('../app.ts')
  const app = buildApp({ ...loadConfig(), LOG_LEVEL: 'silent' })
  // A shell may have other settings: without SMTP_URL a mail would be lost, and a purge would go by another EMAIL_VERIFICATION.
  app.register(async ({ jobs }) => jobs.addOnly())
  try {
    await app.ready()
    // Asked first, for it knows why it does not answer.
    await app.database.query('SELECT FROM users LIMIT 0')
    await Promise.race([app.jobs.connected(), tooLate()])
    return await work(app)
  } finally {
    await app.close()
  }
}

async function tooLate (): Promise<never> {
  await sleep(START_TIMEOUT, undefined, { ref: false })
  throw new Unreachable('The job queue in PostgreSQL does not answer: run gatehouse migrate, or ask gatehouse doctor.')
}
