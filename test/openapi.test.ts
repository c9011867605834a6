import { readFileSync } from 'node:fs'
import t from 'tap'
import { operationsOf, type OpenApi } from '../src/site/openapi.ts'
import { build } from './support/build.ts'

const routes: string[] = []
const { app } = await build(t, {
  before: app =>
    app.addHook('onRoute', ({ method, url }) => {
      const methods = [method].flat().filter(method => method !== 'HEAD')
      routes.push(...methods.map(method => `${method} ${url.replace(/:(\w+)/, '{$1}')}`))
    }),
})

const isUndocumented = (route: string) =>
  /^GET \/(gatehouse\/\*|assets\/client\.js|docs\/.*)$|^(?!POST)\w+ \/api\/auth\/device\/proof$/.test(route)

t.test('GET /openapi.json: every route, the same as openapi.json (200)', async t => {
  const answer = await app.inject('/openapi.json')
  t.match(answer, {
    statusCode: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
      etag: /^"[0-9a-f]{16}"$/,
    },
  })
  t.equal(answer.body, readFileSync('openapi.json', 'utf8'), 'run `npm run generate` to write it again')
  t.match(await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(answer.headers.etag) } }), {
    statusCode: 304,
    body: '',
  })

  const operations = operationsOf(answer.json<OpenApi>())
  const documented = routes.filter(route => !isUndocumented(route))
  t.strictSame(operations.map(({ method, path }) => `${method} ${path}`).sort(), documented.sort())
})

t.test('GET /openapi.json: every operation has a description and examples', async t => {
  for (const { operationId, summary, tags, security, requestBody, responses } of operationsOf(
    (await app.inject('/openapi.json')).json<OpenApi>()
  )) {
    t.ok(summary && tags.length === 1 && Array.isArray(security), operationId)
    const bodies = [requestBody, ...Object.values(responses)]
      .map(part => part?.content?.['application/json'])
      .filter(media => media !== undefined)
    if (operationId !== 'getOpenApi') {
      t.ok(
        bodies.every(({ example, examples }) => example ?? examples),
        `${operationId}: examples`
      )
    }
    for (const [status, { description }] of Object.entries(responses)) {
      t.not(description, 'Default Response', `${operationId} ${status}`)
    }
  }
})

t.test('GET /docs: only files of our own, with the security headers (200)', async t => {
  const { app } = await build(t, { settings: { BRAND_NAME: 'Müller & <Co>' } })
  const { headers: expected } = await app.inject('/login')
  const page = await app.inject('/docs')
  t.match(page.body, '<title>API · Müller &amp; &lt;Co&gt;</title>')
  t.notMatch(page.body, /(?:href|src)="(?!\/docs\/static\/)|\sstyle="|<style|\son\w+="/)
  const files = [...page.body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file]) => file as string)
  t.ok(files.length >= 8)
  for (const file of ['/docs', ...files]) {
    const { statusCode, headers } = await app.inject(file)
    t.equal(statusCode, 200, file)
    for (const name of ['content-security-policy', 'strict-transport-security', 'x-frame-options', 'referrer-policy']) {
      t.equal(headers[name], expected[name], `${file}: ${name}`)
    }
  }
  const style = await app.inject('/docs/static/swagger-ui.css')
  t.match(style.headers, { 'cache-control': 'public, max-age=0', etag: /^W\// })
  const again = { url: '/docs/static/swagger-ui.css', headers: { 'if-none-match': String(style.headers.etag) } }
  t.match(await app.inject(again), { statusCode: 304, body: '' })
  t.match(await app.inject('/docs/static/none.css'), { statusCode: 404, body: /^\{"error":"Not Found"/ })
})
