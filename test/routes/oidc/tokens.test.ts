// Refresh tokens of applications, and codes.
import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { beginSignIn, follow, signInTo, startProvider, type Provider } from '../../support/openid/provider.ts'
import { eventually } from '../../support/patience.ts'

type Refused = { error?: string, status?: number }
const outcome = (asked: Promise<unknown>) =>
  asked.then(() => 'ok', ({ error, status }: Refused) => `${status} ${error}`)

async function signedIn ({ addApplication, browse, owner }: Provider, parameters?: Record<string, string>) {
  const user = await createUser(owner)
  const browser = browse()
  await browser.signIn(user.username)
  const application = await addApplication()
  const tokens = await signInTo(application, browser, parameters)
  const refresh = (token = tokens.refresh_token ?? '') => client.refreshTokenGrant(application.relyingParty, token)
  return { application, browser, refresh, tokens, user }
}

/** As if the last rotation were a minute ago. */
const endGrace = ({ owner }: Provider) =>
  owner.query("UPDATE application_grants SET rotated_at = now() - interval '1 minute'")

t.test('refresh token: within the grace period, the same successor again; two calls at once both succeed', async t => {
  const { refresh } = await signedIn(await startProvider(t))
  const [one, other] = await Promise.all([refresh(), refresh()])
  t.equal(one.refresh_token, other.refresh_token)
  const again = await refresh()
  t.equal(again.refresh_token, one.refresh_token, 'for a client that did not get it')
  t.equal(await outcome(refresh(one.refresh_token)), 'ok')
})

t.test('refresh token: after the grace period, a replay ends the grant', async t => {
  const provider = await startProvider(t)
  const { application, refresh, tokens } = await signedIn(provider)
  const { access_token: access, refresh_token: next } = await refresh()
  await endGrace(provider)
  t.equal(await outcome(refresh()), '400 invalid_grant')
  t.equal(await outcome(refresh(next)), '400 invalid_grant', 'the successor has ended, too')
  for (const token of [access, tokens.access_token]) {
    t.match(await client.tokenIntrospection(application.relyingParty, token), { active: false })
  }
})

t.test('refresh token: two generations back, a replay ends the grant, also within the grace period', async t => {
  const { refresh } = await signedIn(await startProvider(t))
  const second = await refresh()
  const third = await refresh(second.refresh_token)
  t.equal(await outcome(refresh()), '400 invalid_grant')
  t.equal(await outcome(refresh(third.refresh_token)), '400 invalid_grant')
})

t.test('refresh token: one of another application, or with another signature, is refused', async t => {
  const provider = await startProvider(t)
  const { refresh, tokens } = await signedIn(provider)
  const other = await provider.addApplication()
  t.equal(await outcome(client.refreshTokenGrant(other.relyingParty, tokens.refresh_token ?? '')), '400 invalid_grant')
  const forged = tokens.refresh_token?.replace(/\.0\./, '.1.') ?? ''
  t.equal(await outcome(refresh(forged)), '400 invalid_grant')
  t.equal(await outcome(refresh()), 'ok', 'neither ended the grant')
})

t.test('code: of three exchanges at once, one succeeds', async t => {
  const provider = await startProvider(t)
  const { application, browser } = await signedIn(provider)
  const { path, checks } = await beginSignIn(application)
  const { location } = await follow(browser, path)
  const exchange = () => outcome(client.authorizationCodeGrant(application.relyingParty, location as URL, checks))
  const outcomes = await Promise.all([exchange(), exchange(), exchange()])
  t.strictSame(outcomes.toSorted(), ['400 invalid_grant', '400 invalid_grant', 'ok'])
})

t.test('code: a replay ends what it granted', async t => {
  const provider = await startProvider(t)
  const { application, browser } = await signedIn(provider)
  const { path, checks } = await beginSignIn(application)
  const { location } = await follow(browser, path)
  const exchange = () => client.authorizationCodeGrant(application.relyingParty, location as URL, checks)
  const tokens = await exchange()
  t.equal(await outcome(exchange()), '400 invalid_grant')
  t.match(await client.tokenIntrospection(application.relyingParty, tokens.access_token), { active: false })
  t.equal(
    await outcome(client.refreshTokenGrant(application.relyingParty, tokens.refresh_token ?? '')), '400 invalid_grant')
})

t.test('code: after a minute, with another verifier or another redirect URI, it is refused', async t => {
  const provider = await startProvider(t)
  const { application, browser } = await signedIn(provider)
  type Change = (url: URL, checks: { pkceCodeVerifier: string }) => unknown
  const exchange = async (change: Change) => {
    const { path, checks } = await beginSignIn(application)
    const location = (await follow(browser, path)).location as URL
    await change(location, checks)
    return outcome(client.authorizationCodeGrant(application.relyingParty, location, checks))
  }
  const expire = () => provider.owner.query('UPDATE openid_artifacts SET expires_at = now()')
  const guess: Change = (_url, checks) => { checks.pkceCodeVerifier = client.randomPKCECodeVerifier() }
  const redirect: Change = url => { url.pathname = '/other' }
  for (const change of [expire, guess, redirect]) t.equal(await exchange(change), '400 invalid_grant')
  t.equal(await exchange(() => {}), 'ok')
})

t.test('tokens: PostgreSQL has no value that a client could use', async t => {
  const provider = await startProvider(t)
  const { refresh, tokens } = await signedIn(provider)
  const { access_token: access, refresh_token: next = '' } = await refresh()
  const { rows } = await provider.owner.query(`
    SELECT row_to_json(a)::text AS text FROM openid_artifacts a
    UNION ALL SELECT row_to_json(g)::text FROM application_grants g
    UNION ALL SELECT row_to_json(t)::text FROM refresh_tokens t
    UNION ALL SELECT row_to_json(s)::text FROM application_secrets s`)
  const text = rows.map(row => row.text).join('\n')
  for (const secret of [access, tokens.access_token, next.split('.')[2] ?? '', tokens.refresh_token ?? '']) {
    t.notOk(text.includes(secret))
  }
})

t.test('secret: rotated with an overlap; a wrong one is refused, and counted', async t => {
  const provider = await startProvider(t, { LIMIT_GENERAL_MAX: '100' })
  const { application, refresh } = await signedIn(provider)
  const secrets = async (count: number) => eventually(
    () => provider.app.findApplication(application.id), found => found?.secrets.length === count)
  await provider.owner.query("UPDATE application_secrets SET ends_at = now() - interval '1 second'")
  await secrets(0)
  t.match(await outcome(refresh()), '401', 'it has ended')
  await provider.owner.query("UPDATE application_secrets SET ends_at = now() + interval '1 hour'")
  await secrets(1)
  const wrong = await client.discovery(new URL(provider.issuer), application.id, undefined,
    client.ClientSecretPost('wrong'), { execute: [client.allowInsecureRequests] })
  const attempt = () => outcome(client.tokenIntrospection(wrong, 'x'))
  t.equal(await attempt(), '401 invalid_client')
  await Promise.all(Array.from({ length: 48 }, attempt))
  t.match(await attempt(), '429')
  t.equal(await outcome(refresh()), 'ok', 'the right secret still works')
})
