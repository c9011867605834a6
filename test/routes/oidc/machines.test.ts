// Machines: client_credentials with a secret or with keys, by oauth4webapi.
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import * as oauth from 'oauth4webapi'
import t, { type Test } from 'tap'
import type { NewApplication } from '../../../plugins/records/openid/applications.ts'
import type { PublicKey } from '../../../src/openid/application-keys.ts'
import { startProvider, type Provider } from '../../support/openid/provider.ts'
import { eventually } from '../../support/patience.ts'
import { scrape } from '../../support/scrape.ts'
import { ORDERS, REPORTS, RESOURCES, VAULT } from '../../support/openid/resources.ts'

const HTTP = { [oauth.allowInsecureRequests]: true }

async function start (t: Test, settings: Record<string, string> = {}) {
  const provider = await startProvider(t, { ...RESOURCES, ...settings })
  const discovered = await oauth.discoveryRequest(new URL(provider.issuer), HTTP)
  const server = await oauth.processDiscoveryResponse(new URL(provider.issuer), discovered)
  return { ...provider, server }
}

const addMachine = (provider: Provider, given: Partial<NewApplication> = {}) => provider.addApplication({
  kind: 'machine', redirectUris: [], trusted: false, resources: [`${ORDERS} orders:read`], ...given,
})

type Machine = Awaited<ReturnType<typeof addMachine>>

async function ask (
  server: oauth.AuthorizationServer,
  { id, secret }: Pick<Machine, 'id' | 'secret'>,
  parameters: Record<string, string> = {},
  authentication = oauth.ClientSecretBasic(secret)
) {
  const machine = { client_id: id }
  const answer = await oauth.clientCredentialsGrantRequest(server, machine, authentication, parameters, HTTP)
  return oauth.processClientCredentialsResponse(server, machine, answer)
}

type Refused = Error & { response?: Response, cause?: { error?: string } & Array<{ parameters: { error?: string } }> }
const outcome = (asked: Promise<unknown>) => asked.then(() => 'ok', ({ cause, response }: Refused) =>
  `${response?.status} ${cause?.error ?? cause?.[0]?.parameters.error}`)

const isActive = async (server: oauth.AuthorizationServer, { id, secret }: Machine, token: string) => {
  const by = { client_id: id }
  const answer = await oauth.introspectionRequest(server, by, oauth.ClientSecretBasic(secret), token, HTTP)
  return oauth.processIntrospectionResponse(server, by, answer)
}

t.test('a machine gets a token for its resource: no user, no refresh token, no ID token', async t => {
  const provider = await start(t)
  const { server } = provider
  const machine = await addMachine(provider)
  const tokens = await ask(server, machine, { resource: ORDERS, scope: 'orders:read' })
  t.strictSame(Object.keys(tokens).toSorted(), ['access_token', 'expires_in', 'scope', 'token_type'])
  const claims = decodeJwt(tokens.access_token)
  t.match(claims, { sub: machine.id, client_id: machine.id, aud: ORDERS, scope: 'orders:read' })
  for (const name of ['acr', 'amr', 'auth_time', 'sid', 'email']) t.notOk(name in claims, name)
  t.match(decodeJwt((await ask(server, machine)).access_token), { aud: ORDERS, scope: 'orders:read' },
    'its only resource, and all that its record allows')
})

t.test('a machine gets nothing beyond its record', async t => {
  const provider = await start(t)
  const { server, app } = provider
  const machine = await addMachine(provider)
  for (const [parameters, refused] of [
    [{ scope: 'orders:write' }, '400 invalid_scope'],
    [{ scope: 'orders:read orders:write' }, '400 invalid_scope'],
    [{ scope: 'openid' }, '400 invalid_scope'],
    [{ scope: 'orders:read offline_access' }, '400 invalid_scope'],
    [{ resource: REPORTS }, '400 invalid_target'],
    [{ resource: 'https://elsewhere.example' }, '400 invalid_target'],
  ] as const) t.equal(await outcome(ask(server, machine, parameters)), refused, JSON.stringify(parameters))
  const two = await addMachine(provider, { resources: [ORDERS, VAULT] })
  t.equal(await outcome(ask(server, two)), '400 invalid_target', 'it must say which')
  const none = await addMachine(provider, { resources: [] })
  t.match(await outcome(ask(server, none, { resource: ORDERS })), '400')
  const web = await provider.addApplication({ resources: [ORDERS] })
  t.match(await outcome(ask(server, web, { resource: ORDERS })), '400', 'an application that signs users in')
  const { access_token: token } = await ask(server, machine)
  t.equal((await app.inject({ url: '/oidc/userinfo', headers: { authorization: `Bearer ${token}` } })).statusCode, 401)
})

t.test('opaque tokens of machines: for the resource alone, revoked by the machine, gone with it', async t => {
  const provider = await start(t)
  const { server, app, owner } = provider
  const machine = await addMachine(provider, { resources: [VAULT] })
  const vault = await addMachine(provider, { resources: [], serves: VAULT })
  const other = await addMachine(provider, { resources: [], serves: ORDERS })
  const { access_token: token } = await ask(server, machine)
  t.match(await isActive(server, vault, token), { active: true, aud: VAULT, client_id: machine.id })
  t.notOk((await isActive(server, vault, token)).sub)
  t.strictSame(await isActive(server, other, token), { active: false })
  t.equal((await app.inject({ url: '/oidc/userinfo', headers: { authorization: `Bearer ${token}` } })).statusCode, 401)
  const { rows } = await owner.query('SELECT row_to_json(a)::text AS text FROM openid_artifacts a')
  t.notOk(rows.some(({ text }) => text.includes(token)), 'its value is not stored')

  const revoke = oauth.ClientSecretBasic(machine.secret)
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, { client_id: machine.id }, revoke, token, HTTP))
  t.strictSame(await isActive(server, vault, token), { active: false })

  const { access_token: last } = await ask(server, machine)
  t.match(await isActive(server, vault, last), { active: true })
  await app.manageApplications.remove(machine.id)
  await eventually(() => app.findApplication(machine.id), found => found === undefined)
  t.strictSame(await isActive(server, vault, last), { active: false }, 'removed')
})

async function keyed (algorithm = 'ES256', kid = 'one') {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { privateKey, kid, jwk: { ...await exportJWK(publicKey), kid } as PublicKey }
}

const assertion = (key: CryptoKey, id: string, claims: Record<string, unknown>, kid = 'one') =>
  new SignJWT({ iss: id, sub: id, jti: crypto.randomUUID(), ...claims })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuedAt()
    .sign(key)

function askWith (issuer: string, assertion: string) {
  return fetch(`${issuer}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    }),
  }).then(async answer => answer.ok ? 'ok' : `${answer.status} ${(await answer.json()).error}`)
}

t.test('private_key_jwt: keys rotate with an overlap, and a secret is not accepted beside them', async t => {
  const provider = await start(t)
  const { server, app } = provider
  const [one, two] = [await keyed('ES256', 'one'), await keyed('Ed25519', 'two')]
  const machine = await addMachine(provider, { keys: [one.jwk] })
  const use = ({ privateKey, kid }: typeof one) =>
    outcome(ask(server, machine, {}, oauth.PrivateKeyJwt({ key: privateKey, kid })))
  const change = async (...keys: PublicKey[]) => {
    t.ok(await app.manageApplications.change(machine.id, { keys }))
    await eventually(() => app.findApplication(machine.id), found => found?.keys?.length === keys.length)
  }
  t.equal(await use(one), 'ok')
  t.equal(await use(two), '401 invalid_client')
  t.equal(await outcome(ask(server, machine)), '401 invalid_client', 'its secret')
  await change(one.jwk, two.jwk)
  t.strictSame([await use(one), await use(two)], ['ok', 'ok'])
  await change(two.jwk)
  t.strictSame([await use(one), await use(two)], ['401 invalid_client', 'ok'])
})

t.test('private_key_jwt: a replayed assertion is refused, also of two at once and at another instance', async t => {
  const provider = await start(t)
  const { issuer, owner } = provider
  const { privateKey, jwk } = await keyed()
  const { id } = await addMachine(provider, { keys: [jwk] })
  const exp = Math.floor(Date.now() / 1_000) + 60
  const once = await assertion(privateKey, id, { aud: issuer, exp })
  const answers = await Promise.all(Array.from({ length: 5 }, () => askWith(issuer, once)))
  t.strictSame(answers.toSorted(), ['401 invalid_client', '401 invalid_client', '401 invalid_client',
    '401 invalid_client', 'ok'])
  const { rows } = await owner.query("SELECT kind FROM openid_artifacts WHERE kind = 'Proof'")
  t.equal(rows.length, 1, 'in PostgreSQL, which all instances share')

  const stranger = await keyed()
  for (const [name, wrong] of Object.entries({
    'for another server': assertion(privateKey, id, { aud: 'https://other.example', exp }),
    'for two servers': assertion(privateKey, id, { aud: [issuer, 'https://other.example'], exp }),
    'valid for a year': assertion(privateKey, id, { aud: issuer, exp: exp + 31_536_000 }),
    expired: assertion(privateKey, id, { aud: issuer, exp: exp - 3_600 }),
    'without an expiry': assertion(privateKey, id, { aud: issuer }),
    'without an id': assertion(privateKey, id, { aud: issuer, exp, jti: undefined }),
    'of another issuer': assertion(privateKey, id, { aud: issuer, exp, iss: 'x' }),
    'by another key': assertion(stranger.privateKey, id, { aud: issuer, exp }),
  })) t.equal(await askWith(issuer, await wrong), '401 invalid_client', name)
})

t.test('secrets of machines rotate with an overlap', async t => {
  const provider = await start(t)
  const { server, app } = provider
  const machine = await addMachine(provider)
  const secret = await app.manageApplications.rotateSecret(machine.id) ?? ''
  await eventually(() => app.findApplication(machine.id), found => found?.secrets.length === 2)
  t.equal(await outcome(ask(server, machine)), 'ok')
  t.equal(await outcome(ask(server, { ...machine, secret })), 'ok')
  t.equal(await outcome(ask(server, { ...machine, secret: 'wrong' })), '401 invalid_client')
})

t.test('tokens are counted for each machine: one that asks too often (429) does not stop another', async t => {
  const provider = await start(t, { LIMIT_GENERAL_MAX: '1', METRICS_PORT: '0' })
  const { app, server } = provider
  const [greedy, other] = [await addMachine(provider, { resources: [VAULT] }), await addMachine(provider)]
  for (let asked = 0; asked < 30; asked++) await ask(server, greedy)
  const refused = await ask(server, greedy).catch(error => error)
  const { headers, status } = refused.response as Response
  t.equal(status, 429)
  t.ok(Number(headers.get('retry-after')) > 0)
  const { rows } = await provider.owner.query("SELECT FROM openid_artifacts WHERE kind = 'ClientCredentials'")
  t.equal(rows.length, 30, 'nothing was issued')
  t.equal(await outcome(ask(server, other)), 'ok')
  const figures = await scrape(await app.metrics.listen() as string)
  for (const [outcome, count] of [['issued', 31], ['refused', 1]] as const) {
    t.equal(figures.get(`gatehouse_openid_machine_tokens_total{outcome="${outcome}"}`), count)
  }
})
