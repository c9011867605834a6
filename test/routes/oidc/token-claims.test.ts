// The data of accounts in ID tokens and userinfo: TOKEN_CLAIMS with scopes.
import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { beginSignIn, signInTo, startProvider } from '../../support/openid/provider.ts'

const SETTINGS = { TOKEN_CLAIMS: 'roles:roles,tenant:profile,plan' }
const DATA = { roles: ['editor'], tenant: 'acme', plan: 'free', other: 'no' }
const NAMES = Object.keys(DATA)

const provider = await startProvider(t, SETTINGS)
const { addApplication, app, browse, issuer, owner } = provider
const write = async (id: string, data: object) => {
  await app.changeAccount((await app.users.findById(id))!, { data: { ...data } }, 'key test')
}
/** Those of the data. */
const ofData = (claims: object = {}) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => NAMES.includes(name)))

async function signedIn (scope: string) {
  const user = await createUser(owner)
  await write(user.id, DATA)
  const browser = browse()
  await browser.signIn(user.username)
  const application = await addApplication()
  const tokens = await signInTo(application, browser, { scope })
  const userinfo = async (token = tokens.access_token) =>
    ofData(await client.fetchUserInfo(application.relyingParty, token, user.id))
  return { user, application, tokens, userinfo }
}

for (const [scope, expected] of [
  ['openid', {}],
  ['openid profile', { tenant: 'acme' }],
  ['openid roles', { roles: ['editor'] }],
  ['openid profile roles', { roles: ['editor'], tenant: 'acme' }],
] as const) {
  t.test(`ID token and userinfo with the scopes ${scope}`, async t => {
    const { tokens, userinfo } = await signedIn(scope)
    t.strictSame(ofData(tokens.claims()), expected)
    t.strictSame(await userinfo(), expected)
  })
}

t.test('a change is in the next ID token, and at once in userinfo', async t => {
  const { user, application, tokens, userinfo } = await signedIn('openid roles')
  await write(user.id, { ...DATA, roles: [] })
  t.strictSame(await userinfo(), { roles: [] })
  const next = await client.refreshTokenGrant(application.relyingParty, tokens.refresh_token ?? '')
  t.strictSame(ofData(next.claims()), { roles: [] })
  await write(user.id, { sub: '1', email_verified: true })
  const last = await client.refreshTokenGrant(application.relyingParty, next.refresh_token ?? '')
  t.match(last.claims(), { sub: user.id })
  t.strictSame(await userinfo(), {})
})

t.test('discovery has the scopes and claims, and the page for consent names the scope', async t => {
  const found = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json() as Record<string, string[]>
  t.ok(found.scopes_supported?.includes('roles'))
  t.ok(found.claims_supported?.includes('roles') && found.claims_supported.includes('tenant'))
  t.notOk(found.claims_supported?.includes('plan'), 'without a scope, no application gets it')

  const user = await createUser(owner)
  const browser = browse()
  await browser.signIn(user.username)
  const application = await addApplication({ trusted: false })
  const { path } = await beginSignIn(application, { scope: 'openid roles unknown' })
  const { headers } = await browser.get(path)
  const interaction = new URL(String(headers.location), issuer).pathname
  t.strictSame((await browser.get(`${interaction}/request`)).json().scopes, ['openid', 'roles'])
})

t.test('without scopes in TOKEN_CLAIMS, applications get nothing of it', async t => {
  const other = await startProvider(t, { TOKEN_CLAIMS: 'roles' })
  const user = await createUser(other.owner)
  await other.app.changeAccount((await other.app.users.findById(user.id))!, { data: DATA }, 'key test')
  const browser = other.browse()
  await browser.signIn(user.username)
  const tokens = await signInTo(await other.addApplication(), browser, { scope: 'openid profile email' })
  t.strictSame(ofData(tokens.claims()), {})
})
