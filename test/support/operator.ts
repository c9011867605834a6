import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { buildOperatorApp } from '../../src/operator/app.ts'
import { SCOPES, type Scope } from '../../src/operator/scopes.ts'
import { build, secrets } from './build.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Fills `routes` with the routes of an app, such as `GET /users/:id`. */
export function collectRoutes (app: FastifyInstance, routes: string[]) {
  app.addHook('onRoute', ({ method, url }) => {
    routes.push(...[method].flat().filter(method => method !== 'HEAD').map(method => `${method} ${url}`))
  })
}

/** The service with the listener for operators, and a key of its API with every scope. */
export async function buildOperator (t: Test, options: Parameters<typeof build>[1] = {}) {
  const publicRoutes: string[] = []
  const operatorRoutes: string[] = []
  const service = await build(t, { before: app => collectRoutes(app, publicRoutes), ...options })
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
    publicRoutes,
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
