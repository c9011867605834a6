import { join } from 'node:path'
import autoload from '@fastify/autoload'
import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { createServer } from './create-server.ts'
import { OPERATOR } from './edge/folders.ts'
import { reasonOf } from './observability/error-reason.ts'
import { keysFor } from './secrets/derived-keys.ts'

declare module 'fastify' {
  /** Where users sign in. Only on the listener for operators, whose own PUBLIC_URL is another. */
  interface FastifyInstance { publicUrl: string }
}

/** What the routes of operators use of the service. */
const SHARED = [
  'accountData', 'accountTotals', 'administration', 'apiKeys', 'audit', 'bulkActions', 'changeAccount',
  'commandLineSignIns', 'counters', 'createAccount', 'dataExport', 'deliveryList', 'eventList', 'events', 'factors',
  'idempotencyKeys', 'limitsInForce', 'loginSteps', 'mailList', 'manageApiKeys', 'manageApplications', 'operators',
  'operatorSessions', 'passkeys', 'passwords', 'secondFactor', 'sessions', 'signInCounts', 'signingKeys', 'users',
  'userIds', 'userSearch', 'webhooks',
] as const

/** Where operators open their page. */
function operatorUrl ({ OPERATOR_PORT, OPERATOR_URL }: Config): string {
  return OPERATOR_URL || `http://localhost:${OPERATOR_PORT ?? 0}`
}

/**
 * The listener for operators: a server of its own with its own routes, on the records and connections of the service,
 * which must be ready. It closes before the service.
 */
export function buildOperatorApp (app: FastifyInstance): FastifyInstance {
  // Requests with unsafe methods are accepted only from pages of this URL, and never from apps.
  const config = { ...app.config, PUBLIC_URL: operatorUrl(app.config), APP_ORIGINS: [], COOKIE_DOMAIN: '' }
  const operator = createServer(config, { loggerInstance: app.log })
  for (const name of SHARED) operator.decorate<unknown>(name, app[name])
  operator.decorate('limits', app.operatorLimits)
  operator.decorate('publicUrl', app.config.PUBLIC_URL.replace(/\/+$/, ''))
  operator.decorate('cookieScope', { prefix: 'operator_', path: '/operator' })
  operator.register(cookie, { secret: keysFor('operator-cookies', app.config) })
  operator.register(autoload, { dir: join(OPERATOR, 'plugins') })
  operator.register(autoload, {
    dir: join(OPERATOR, 'routes'),
    options: { prefix: '/operator' },
    // A file's own `autoPrefix` comes after that of its folder.
    appendAutoPrefix: true,
  })
  return operator
}

/** Opens OPERATOR_PORT. The service must be ready. */
export async function listenForOperators (app: FastifyInstance): Promise<FastifyInstance> {
  const { OPERATOR_HOST: host, OPERATOR_PORT: port } = app.config
  const operator = buildOperatorApp(app)
  // By name: passkeys work only with a domain, and requests are accepted only from pages of this address.
  const listenTextResolver = (url: string) =>
    `Operators at ${operatorUrl({ ...app.config, OPERATOR_PORT: Number(new URL(url).port) })}/operator/`
  try {
    await operator.ready()
    const listening = operator.listen({ host, port, listenTextResolver })
    await listening.catch(error => {
      throw new Error(`Cannot listen on OPERATOR_PORT: ${reasonOf(error)}.`, { cause: error })
    })
    return operator
  } catch (error) {
    await operator.close()
    throw error
  }
}
