import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { beginSignIn, startProvider } from '../../support/openid/provider.ts'

const provider = await startProvider(t, { TRUST_PROXY: '127.0.0.1' })
const { app, issuer, owner } = provider
const application = await provider.addApplication({ trusted: false })
const { hostname, port } = new URL(issuer)
const FORGED = {
  'a forged Host': { headers: { host: 'evil.example' } },
  'a forged X-Forwarded-Host': {
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' },
  },
  'an absolute-form request line': { prefix: 'http://evil.example', headers: {} },
}

interface Forged { prefix?: string, headers: Record<string, string> }

async function send (method: string, path: string, { prefix = '', headers }: Forged, body?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status?: number, location?: string, body: string }>()
  const sent = request({ hostname, port, method, path: prefix + path, headers }, response =>
    text(response).then(body =>
      resolve({ status: response.statusCode, location: response.headers.location, body }), reject))
  sent.on('error', reject)
  sent.end(body)
  return promise
}

/** An address differs in the ids that are new each time. */
const withoutIds = (address = '') => address.replaceAll(/[\w-]{43}/g, 'ID')

for (const [what, forged] of Object.entries<Forged>(FORGED)) {
  t.test(`${what} changes no address`, async t => {
    const { username } = await createUser(owner)
    const browser = provider.browse()
    await browser.signIn(username)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const { path } = await beginSignIn(application)
    const denied = `${path}&prompt=none`
    const requests = {
      discovery: ['GET', '/.well-known/openid-configuration'],
      authorization: ['GET', path],
      'a refused authorization': ['GET', denied],
      'an error': ['GET', path.replace('callback', 'elsewhere')],
      'sign-out': ['GET', '/oidc/logout?same_site=1'],
      'an error of the token endpoint': ['POST', '/oidc/token', 'grant_type=refresh_token'],
    } satisfies Record<string, string[]>
    for (const [name, [method = '', target = '', body]] of Object.entries(requests)) {
      const own = { cookie, ...body && { 'content-type': 'application/x-www-form-urlencoded' } }
      const honest = await send(method, target, { headers: { ...own, accept: 'application/json' } }, body)
      const headers = { ...own, accept: 'application/json', ...forged.headers }
      const found = await send(method, target, { ...forged, headers }, body)
      t.equal(found.status, honest.status, name)
      t.equal(withoutIds(found.location), withoutIds(honest.location), name)
      t.notMatch(found.body, /evil/, name)
    }
  })
}

t.test('a user who is asked is sent to a page of the service', async t => {
  const { username } = await createUser(owner)
  const browser = provider.browse()
  await browser.signIn(username)
  const { path } = await beginSignIn(application)
  const { location } = (await browser.get(path)).headers
  t.match(new URL(String(location), issuer), { origin: issuer, pathname: /^\/oidc\/interaction\// })
})

t.test('while draining, each response closes its connection', async t => {
  const paths = ['/.well-known/openid-configuration', '/oidc/auth', '/oidc/userinfo', '/oidc/logout/success']
  const connections = async () => {
    const answers = await Promise.all([
      ...paths.map(url => app.inject(url)),
      ...['token', 'introspect', 'revoke', 'par'].map(name => app.inject({ method: 'POST', url: `/oidc/${name}` })),
    ])
    return new Set(answers.map(({ headers }) => headers.connection))
  }
  t.notOk((await connections()).has('close'))
  app.drain.begin()
  t.strictSame([...await connections()], ['close'])
})
