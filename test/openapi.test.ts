import { readFileSync } from 'node:fs'
import t from 'tap'
import { operationsOf, type OpenApi } from '../src/pages/openapi.ts'
import { build } from './support/build.ts'

const UNDOCUMENTED = ['GET /assets/*']

t.test('GET /openapi.json: every route, the same as openapi.json (200)', async t => {
  const routes: string[] = []
  const { app } = await build(t, {
    before: app =>
      app.addHook('onRoute', ({ method, url }) => {
        if (method !== 'HEAD') routes.push(`${method} ${url.replace(/:(\w+)/, '{$1}')}`)
      }),
  })
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
  t.strictSame([...operations.map(({ method, path }) => `${method} ${path}`), ...UNDOCUMENTED].sort(), routes.sort())
})

t.test('GET /openapi.json: every operation has a description and examples', async t => {
  const { app } = await build(t)
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

t.test('GET /docs: every operation; no inline code, no other hosts (200)', async t => {
  const { app } = await build(t, { settings: { BRAND_NAME: 'Müller & Co' } })
  const operations = operationsOf((await app.inject('/openapi.json')).json<OpenApi>())
  const { headers, body } = await app.inject('/docs')
  t.match(headers, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    etag: /^"[0-9a-f]{16}"$/,
  })
  t.match(await app.inject({ url: '/docs', headers: { 'if-none-match': String(headers.etag) } }), {
    statusCode: 304,
    body: '',
  })
  t.match(body, 'Müller &amp; Co')
  t.notMatch(body, /<script|\sstyle="|<style|\son\w+="|(?:href|src)="(?![/#])|\{\{|<!-- |undefined|\[object/)
  for (const { operationId, path } of operations) {
    t.ok(body.includes(`<article id="${operationId}"`) && body.includes(`<code>${path}</code>`), operationId)
  }
  for (const [, anchor = ''] of body.matchAll(/href="#([^"]+)"/g)) t.ok(body.includes(`id="${anchor}"`), anchor)
  for (const [, asset = ''] of body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
    t.equal((await app.inject(asset)).statusCode, 200, asset)
  }
})
