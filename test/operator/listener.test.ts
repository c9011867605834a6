import { createServer } from 'node:net'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { listenForOperators } from '../../src/operator-app.ts'
import { operationsOf, type OpenApi } from '../../src/site/openapi.ts'
import { build } from '../support/build.ts'
import { buildOperator } from '../support/operator.ts'

const ROUTES = `
  DELETE /operator/api/v1/apps/:id
  DELETE /operator/api/v1/keys/:name
  DELETE /operator/api/v1/limits
  DELETE /operator/api/v1/session
  DELETE /operator/api/v1/users/:id
  DELETE /operator/api/v1/webhooks/:id
  GET /operator
  GET /operator/accounts
  GET /operator/accounts/:id
  GET /operator/api/v1/apps
  GET /operator/api/v1/apps/:id
  GET /operator/api/v1/apps/registered
  GET /operator/api/v1/audit
  GET /operator/api/v1/audit/verify
  GET /operator/api/v1/events
  GET /operator/api/v1/keys
  GET /operator/api/v1/limits
  GET /operator/api/v1/mails
  GET /operator/api/v1/openapi.json
  GET /operator/api/v1/operators
  GET /operator/api/v1/overview
  GET /operator/api/v1/session
  GET /operator/api/v1/signing-keys
  GET /operator/api/v1/users
  GET /operator/api/v1/users/:id
  GET /operator/api/v1/users/:id/data
  GET /operator/api/v1/users/ids
  GET /operator/api/v1/webhooks
  GET /operator/api/v1/webhooks/:id
  GET /operator/api/v1/webhooks/:id/deliveries
  GET /operator/applications
  GET /operator/applications/:id
  GET /operator/assets/*
  GET /operator/events
  GET /operator/limits
  GET /operator/operators
  GET /operator/service
  GET /operator/sign-in
  GET /operator/webhooks
  GET /operator/webhooks/:id
  PATCH /operator/api/v1/apps/:id
  PATCH /operator/api/v1/users/:id
  PATCH /operator/api/v1/webhooks/:id
  POST /operator/api/v1/apps
  POST /operator/api/v1/apps/:id/rotate-secret
  POST /operator/api/v1/session
  POST /operator/api/v1/session/confirm
  POST /operator/api/v1/session/passkey
  POST /operator/api/v1/session/passkey/options
  POST /operator/api/v1/session/second-factor
  POST /operator/api/v1/users
  POST /operator/api/v1/users/:id/disable
  POST /operator/api/v1/users/:id/enable
  POST /operator/api/v1/users/:id/end-sessions
  POST /operator/api/v1/users/:id/expire-password
  POST /operator/api/v1/users/:id/export
  POST /operator/api/v1/users/:id/reset-factors
  POST /operator/api/v1/users/:id/send-reset-mail
  POST /operator/api/v1/users/:id/verify-email
  POST /operator/api/v1/users/bulk/delete
  POST /operator/api/v1/users/bulk/disable
  POST /operator/api/v1/users/bulk/enable
  POST /operator/api/v1/users/bulk/end-sessions
  POST /operator/api/v1/users/bulk/expire-password
  POST /operator/api/v1/webhooks
  POST /operator/api/v1/webhooks/:id/deliveries/:delivery/resend
  POST /operator/api/v1/webhooks/:id/pause
  POST /operator/api/v1/webhooks/:id/resume
  POST /operator/api/v1/webhooks/:id/rotate
  PUT /operator/api/v1/users/:id/data
`.trim().split(/\s*\n\s*/)

const SECURITY_HEADERS = ['content-security-policy', 'strict-transport-security', 'x-frame-options', 'cache-control']

/** As a request: parameters have a value. */
const requestOf = (route: string) => {
  const [method, path = ''] = route.split(' ')
  return { method: method as 'GET', url: path.replace(/:\w+/g, '1').replace('*', 'style.css') }
}

const { app, operator, publicRoutes, operatorRoutes, addKey, api } =
  await buildOperator(t, { settings: { OPERATOR_PORT: '0' } })

t.test('the route table is complete, and every route has response schemas', async t => {
  t.strictSame(operatorRoutes.toSorted(), ROUTES)
})

t.test('no operator route is on the public port (404), and no public route on that of operators (404)', async t => {
  const headers = { authorization: `Bearer ${await addKey('public')}` }
  t.ok(operatorRoutes.length > 1 && publicRoutes.length > 50)
  for (const route of operatorRoutes) {
    const answer = await app.inject({ ...requestOf(route), headers })
    t.match(answer, { statusCode: 404, body: /^\{"error":"Not Found"/ }, `${route} on the public port`)
  }
  for (const route of publicRoutes) {
    const answer = await operator.inject({ ...requestOf(route), headers })
    t.match(answer, { statusCode: 404, body: /^\{"error":"Not Found"/ }, `${route} on the port of operators`)
  }
})

t.test('same headers, errors and limits of requests as the public port', async t => {
  const { headers: expected } = await app.inject('/health')
  for (const url of ['/operator/api/v1/users', '/operator/none', '/operator/%']) {
    const { headers, body } = await operator.inject(url)
    for (const name of SECURITY_HEADERS) t.equal(headers[name], expected[name], `${url}: ${name}`)
    t.match(JSON.parse(body), { error: String, message: String })
  }
  t.match(await api('POST', '/events'), { statusCode: 405, headers: { allow: 'GET, HEAD' } })
  t.match(await api('POST', '/users', { username: 'a'.repeat(20_000) }), { statusCode: 413 })
  const crossSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  t.match(await api('POST', '/users', {}, crossSite), { statusCode: 403, body: /Only pages of http:\/\/localhost/ })
})

t.test('every page: strict policy, no inline code, and each file that it names exists', async t => {
  const pages = operatorRoutes.filter(route => !route.includes('/api/') && !route.endsWith('*'))
    .filter(route => route.startsWith('GET '))
  t.ok(pages.length >= 8)
  for (const page of [...pages, 'GET /operator/']) {
    const { statusCode, headers, body } = await operator.inject(requestOf(page))
    t.equal(statusCode, 200, page)
    t.match(headers, { 'content-type': /html/, 'cache-control': 'private, no-cache' })
    const [, policy = ''] = body.match(/<meta http-equiv="Content-Security-Policy" content="([^"]+)">/) ?? []
    t.match(policy, 'script-src &#39;self&#39;; style-src &#39;self&#39;', page)
    t.notMatch(policy, 'unsafe')
    t.notMatch(body, /<script(?![^>]*\ssrc=)|<style|\s(on\w+|style)="/, page)
    for (const [, file = ''] of body.matchAll(/(?:href|src)="(\/operator\/assets\/[^"]+)"/g)) {
      t.match(await operator.inject(file), { statusCode: 200, headers: { 'cache-control': /immutable/ } }, file)
    }
  }
})

t.test('GET /operator/api/v1/openapi.json: every route, the same as openapi-operator.json (200)', async t => {
  const { statusCode, body } = await operator.inject('/operator/api/v1/openapi.json')
  t.equal(statusCode, 200)
  t.equal(body, readFileSync('openapi-operator.json', 'utf8'), 'run `npm run generate` to write it again')
  const operations = operationsOf(JSON.parse(body) as OpenApi)
  const documented = operations.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`)
  const api = operatorRoutes.filter(route => route.includes('/operator/api/v1/'))
  t.strictSame(documented.sort(), api.sort())
  for (const { operationId, summary, responses } of operations) {
    t.ok(summary, operationId)
    for (const [status, { description }] of Object.entries(responses)) {
      t.not(description, 'Default Response', `${operationId} ${status}`)
    }
  }
})

t.test('OPERATOR_PORT: a port of its own, and a clear error if it is taken', async t => {
  const listening = await listenForOperators(app)
  t.teardown(() => listening.close())
  const address = listening.addresses()[0] as { address: string, port: number }
  t.match(address, { address: '127.0.0.1', port: Number })
  t.equal((await fetch(`http://127.0.0.1:${address.port}/operator/api/v1/openapi.json`)).status, 200)

  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const { app: refused } = await build(t, { settings: { OPERATOR_PORT: String(port) } })
  await t.rejects(listenForOperators(refused), { message: /^Cannot listen on OPERATOR_PORT: / })
})
