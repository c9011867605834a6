import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { readCallback } from '../../../src/providers/open-id.ts'
import { refusalIn, refusalOf } from '../../../src/providers/refusal.ts'
import type { OpenIdSettings } from '../../../src/providers/settings.ts'

t.test('refusal: bounded, in one line, without what we sent', async t => {
  const secrets = ['s3cret/+', 'the-code']
  t.strictSame(refusalIn({ error: 'invalid_client', error_description: 'wrong', other: 'x' }, secrets), {
    error: 'invalid_client',
    error_description: 'wrong',
  })
  t.strictSame(refusalIn({
    error: 'invalid_grant',
    error_description: 'the-code with s3cret/+ or s3cret%2F%2B\r\n{"level":"error"}\u001b[31m\u2028\u202e.',
  }, secrets), {
    error: 'invalid_grant',
    error_description: '[Redacted] with [Redacted] or [Redacted] {"level":"error"} [31m .',
  })
  const long = refusalIn({ error: 'e'.repeat(10_000), error_description: `${'x'.repeat(295)}the-code` }, secrets)
  t.equal(long?.error.length, 300)
  t.equal(long?.error_description, `${'x'.repeat(295)}[Reda`, 'not the beginning of a secret')
  for (const answer of [undefined, null, 'no', [], {}, { error: 1 }, { error: '' }, { error_description: 'x' }]) {
    t.equal(refusalIn(answer, secrets), undefined)
  }
  t.equal(refusalOf(new Error('fetch failed', { cause: new Error('ECONNREFUSED') }), secrets), undefined)
})

async function startTokenEndpoint (t: Test, headers: Record<string, string>, body: object) {
  const server = createServer((_message, answer) => {
    answer.writeHead(401, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const CHALLENGE = 'Basic realm="op", error="invalid_client", error_description="Wrong secret"'
const REFUSAL = { error: 'invalid_client', error_description: 'Wrong secret' }

for (const [where, headers, body] of [
  ['the body', {}, REFUSAL],
  ['WWW-Authenticate', { 'www-authenticate': CHALLENGE }, {}],
] as const) {
  t.test(`refusal: a provider by discovery says it in ${where}`, async t => {
    const issuer = await startTokenEndpoint(t, headers, body)
    const metadata = { issuer, token_endpoint: `${issuer}/token` }
    const client = { clientId: 'x', clientSecret: 'y', redirectUri: issuer, allowsHttp: true }
    const settings = { issuer, ...client } as OpenIdSettings
    const begun = { state: 'state', verifier: 'v'.repeat(43) }
    const error = await readCallback(metadata, settings, begun, '?code=c&state=state').catch(reason => reason)
    t.strictSame(refusalOf(error, ['the secret']), REFUSAL)
  })
}
