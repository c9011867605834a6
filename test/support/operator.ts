import type { FastifyInstance, InjectOptions } from 'fastify'
import root, { type Test } from 'tap'
import { buildOperatorApp } from '../../src/operator-app.ts'
import { SCOPES, type Scope } from '../../src/operators/scopes.ts'
import { build, buildShared, secrets } from './build.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Service = Awaited<ReturnType<typeof build>>

/** Fills `routes` with the routes of an app, such as `GET /users/:id`. */
function collectRoutes (app: FastifyInstance, routes: string[]) {
  app.addHook('onRoute', ({ method, url }) => {
    routes.push(...[method].flat().filter(method => method !== 'HEAD').map(method => `${method} ${url}`))
  })
}

/** The listener for operators of a service, and a key of its API with every scope. */
async function addListener (t: Pick<Test, 'teardown'>, service: Service) {
  const operatorRoutes: string[] = []
  const operator = buildOperatorApp(service.app)
  collectRoutes(operator, operatorRoutes)
  await operator.ready()
  t.teardown(() => operator.close())

  async function addKey (name: string, scopes: Scope[] = [...SCOPES]): Promise<string> {
    const key = await service.app.apiKeys.add(name, scopes) as string
    secrets.add(key)
    return key
  }

  const key = await addKey('test')
  return {
    ...service,
    operator,
    operatorRoutes,
    addKey,
    /** A request to the API with the key. */
    api: (method: Method, path: string, payload?: object, headers: InjectOptions['headers'] = {}) => operator.inject({
      method,
      url: `/operator/api/v1${path}`,
      payload,
      headers: { authorization: `Bearer ${key}`, ...headers },
    }),
  }
}

/** The service with the listener for operators, and a key of its API with every scope. */
export async function buildOperator (t: Test, options: Parameters<typeof build>[1] = {}) {
  const publicRoutes: string[] = []
  const service = await build(t, { before: app => collectRoutes(app, publicRoutes), ...options })
  return { ...await addListener(t, service), publicRoutes }
}

const shared = new Map<FastifyInstance, ReturnType<typeof addListener>>()

/**
 * One service with its listener for all tests of a file that ask with the same settings, as with `buildShared`.
 * Deleted are also the other keys, webhooks, responses that were kept, and counts; not seals, which form a chain.
 */
export async function buildSharedOperator (t: Test, { settings = {} }: { settings?: Record<string, string> } = {}) {
  const service = await buildShared(t, { settings })
  const adding = shared.get(service.app) ?? addListener(root, service)
  shared.set(service.app, adding)
  const built = await adding
  t.teardown(() => built.owner.query(`
    DELETE FROM api_keys WHERE name <> 'test' OR ended_at IS NOT NULL;
    UPDATE api_keys SET last_used_at = NULL;
    DELETE FROM idempotency_keys;
    DELETE FROM webhooks;
    DELETE FROM sign_in_counts;
    DELETE FROM account_totals`))
  return built
}
