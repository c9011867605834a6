import { join } from 'node:path'
import autoload from '@fastify/autoload'
import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { createServer } from '../http/create-server.ts'
import { keysFor } from '../tokens/signing-keys.ts'
import { operatorUrl } from './url.ts'

declare module 'fastify' {
  /** Where users sign in. Only on the listener for operators, whose own PUBLIC_URL is another. */
  interface FastifyInstance { publicUrl: string }
}

const FOLDER = join(import.meta.dirname, '../../operator')

/** What the routes of operators use of the service. */
const SHARED = [
  'accountTotals', 'administration', 'apiKeys', 'audit', 'counters', 'deliveryList', 'eventList', 'events',
  'factors', 'idempotencyKeys', 'limits', 'limitsInForce', 'loginSteps', 'mailList', 'manageKeys', 'operators',
  'operatorSessions', 'passkeys', 'passwords', 'secondFactor', 'sessions', 'signInCounts', 'signingKeys', 'users',
  'userSearch', 'webhooks',
] as const

/**
 * The listener for operators: a server of its own with its own routes, on the records and connections of the service,
 * which must be ready. It closes before the service.
 */
export function buildOperatorApp (app: FastifyInstance): FastifyInstance {
  // Requests with unsafe methods are accepted only from pages of this URL.
  const config = { ...app.config, PUBLIC_URL: operatorUrl(app.config) }
  const operator = createServer(config, { loggerInstance: app.log })
  for (const name of SHARED) operator.decorate<unknown>(name, app[name])
  operator.decorate('publicUrl', app.config.PUBLIC_URL.replace(/\/+$/, ''))
  operator.decorate('cookieScope', { prefix: 'operator_', path: '/operator' })
  operator.register(cookie, { secret: keysFor('operator-cookies', app.config) })
  operator.register(autoload, { dir: join(FOLDER, 'plugins') })
  operator.register(autoload, { dir: join(FOLDER, 'routes'), options: { prefix: '/operator' } })
  return operator
}
