import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import AjvCompiler from '@fastify/ajv-compiler'
import SerializerSelector from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance, RouteOptions } from 'fastify'
import t from 'tap'
import { buildOperatorApp } from '../src/operator-app.ts'
import { build } from './support/build.ts'

const compileValidator = AjvCompiler()({}, { customOptions: {} }) as (route: { schema: unknown }) => unknown
const compileSerializer = SerializerSelector()()

const ROUTES = `
  DELETE /api/auth/applications/:id
  DELETE /api/auth/device/proof
  DELETE /api/auth/factors/passkeys/:id
  DELETE /api/auth/factors/totp
  DELETE /api/auth/me
  DELETE /api/auth/providers/:name
  DELETE /api/auth/sessions
  DELETE /api/auth/sessions/:id
  GET /
  GET /.well-known/change-password
  GET /.well-known/jwks.json
  GET /api/auth/account
  GET /api/auth/applications
  GET /api/auth/device/proof
  GET /api/auth/events
  GET /api/auth/export
  GET /api/auth/factors
  GET /api/auth/me
  GET /api/auth/provider-a
  GET /api/auth/provider-a/callback
  GET /api/auth/provider-b
  GET /api/auth/provider-b/callback
  GET /api/auth/session
  GET /api/auth/sessions
  GET /api/auth/verify
  GET /api/content
  GET /api/content/:slug
  GET /api/csrf-token
  GET /assets/client.js
  GET /dashboard
  GET /dashboard/applications
  GET /dashboard/data
  GET /dashboard/devices
  GET /dashboard/security
  GET /docs
  GET /docs/json
  GET /docs/static/*
  GET /docs/static/index.html
  GET /docs/static/swagger-initializer.js
  GET /docs/static/theme/docs.css
  GET /docs/static/theme/docs.js
  GET /docs/static/theme/icon.svg
  GET /docs/yaml
  GET /gatehouse/*
  GET /health
  GET /health/live
  GET /health/ready
  GET /health/serving
  GET /login
  GET /login/mail
  GET /login/second-factor
  GET /logout
  GET /openapi.json
  GET /register
  GET /reset-password
  GET /verify-email
  PATCH /api/auth/device/proof
  PATCH /api/auth/factors/passkeys/:id
  PATCH /api/auth/me
  POST /api/auth/device
  POST /api/auth/device/proof
  POST /api/auth/email
  POST /api/auth/email/confirm
  POST /api/auth/factors/passkeys
  POST /api/auth/factors/passkeys/options
  POST /api/auth/factors/recovery-codes
  POST /api/auth/factors/totp
  POST /api/auth/factors/totp/confirm
  POST /api/auth/password
  POST /api/auth/password/check
  POST /api/auth/providers/:name/connect
  POST /api/auth/reauthenticate
  POST /api/auth/reauthenticate/mail
  POST /api/auth/refresh
  POST /api/auth/token
  POST /api/sensitive
  POST /login
  POST /login/mail
  POST /login/mail/confirm
  POST /login/mail/link
  POST /login/passkey
  POST /login/passkey/options
  POST /login/second-factor
  POST /logout
  POST /register
  POST /register/mail
  POST /reset-password
  POST /reset-password/confirm
  POST /verify-email
  POST /verify-email/change
  POST /verify-email/resend
  POST /verify-email/undo
  PUT /api/auth/device/proof
  PUT /api/auth/language
`.trim().split(/\s*\n\s*/)

const names: string[] = []
const routes: RouteOptions[] = []
const operatorRoutes: RouteOptions[] = []
const hooks: Record<string, string[]> = {}

/** Fills what is declared above. */
function watch (app: FastifyInstance) {
  app.addHook('onRoute', route => {
    routes.push(route)
    // Now, because Fastify changes the URL later.
    names.push(...[route.method].flat().map(method => `${method} ${route.url}`))
  })
  const addHook = app.addHook
  app.addHook = function (this: typeof app, name: string, hook: { name: string }) {
    (hooks[name] ??= []).push(hook.name)
    return Reflect.apply(addHook, this, [name, hook])
  } as unknown as typeof app.addHook
}

const { app } = await build(t, { before: watch })
const operator = buildOperatorApp(app)
operator.addHook('onRoute', route => { operatorRoutes.push(route) })
await operator.ready()
t.teardown(() => operator.close())

const nameOf = ({ method, url }: RouteOptions) => `${method} ${url}`

t.test('the route table is complete', async t => {
  t.strictSame(names.filter(name => !name.startsWith('HEAD ')).sort(), ROUTES)
})

t.test('every file in plugins/ is a loaded plugin of that name', async t => {
  const files = readdirSync('plugins', { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))
  t.ok(files.length > 80)
  for (const file of files) t.ok(app.hasPlugin(basename(file, '.ts')), file)
})

t.test('the edge hooks run first and in order: every response has the security headers', async t => {
  t.strictSame(hooks.onRequest?.slice(0, 2), ['refuseAmbiguous', 'refuseCrossSite'])
  t.strictSame(hooks.onSend?.slice(0, 2), ['addSecurityHeaders', 'closeConnection'])
})

t.test('every route has response schemas', async t => {
  t.ok(routes.length > 40)
  t.strictSame(routes.filter(({ schema }) => !schema?.response).map(nameOf), [])
})

/** One for each content type, or one for all. */
const schemasOf = (schema: any): any[] =>
  schema.content ? Object.values(schema.content).map((each: any) => each.schema) : [schema]

t.test('every schema compiles: the service does so with the first request that needs it', async t => {
  const inputs = ['body', 'querystring', 'params', 'headers'] as const
  for (const route of [...routes, ...operatorRoutes]) {
    const { schema = {} } = route
    for (const part of inputs) {
      for (const each of schema[part] ? schemasOf(schema[part]) : []) {
        t.doesNotThrow(() => compileValidator({ schema: each }), `${nameOf(route)} ${part}`)
      }
    }
    for (const [httpStatus, response] of Object.entries(schema.response ?? {})) {
      for (const schema of schemasOf(response)) {
        t.doesNotThrow(() => compileSerializer({ schema, httpStatus, method: '', url: '' }), nameOf(route))
      }
    }
  }
})
