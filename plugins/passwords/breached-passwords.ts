import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { atMostEvery } from '../../src/observability/at-most-every.ts'
import { reasonOf } from '../../src/observability/error-reason.ts'
import { createBreachedPasswords } from '../../src/passwords/breached-passwords.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a data breach exposed the password. False if BREACHED_PASSWORDS_URL is not set or does not respond. */
    isBreached (password: string): Promise<boolean>
  }
}

/** During an outage, one log line in this time instead of one for each password. */
const REPORT_INTERVAL = 60_000

function createIsBreached ({ config, log, metrics }: FastifyInstance): FastifyInstance['isBreached'] {
  const { BREACHED_PASSWORDS_URL: url } = config
  const count = metrics.counter(
    'gatehouse_breached_password_checks_total',
    'Passwords compared with the list of breached ones: found there, clear, or allowed because it did not respond',
    { outcome: ['found', 'clear', 'unavailable'] }
  )
  if (!url) return async () => false
  const breachedPasswords = createBreachedPasswords(url)
  const report = atMostEvery(REPORT_INTERVAL, (error: unknown) =>
    log.warn({ reason: reasonOf(error) }, 'the list of breached passwords cannot be asked: passwords are allowed'))

  return async function isBreached (password) {
    try {
      const found = await breachedPasswords.include(password)
      count({ outcome: found ? 'found' : 'clear' })
      return found
    } catch (error) {
      count({ outcome: 'unavailable' })
      report(error)
      return false
    }
  }
}

export default fp(async function (app) {
  app.decorate('isBreached', createIsBreached(app))
}, { name: 'breached-passwords', dependencies: ['metrics'] })
