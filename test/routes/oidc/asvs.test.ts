// What chapter 10 of ASVS asks of an authorization server, where no other test shows it.
import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { beginSignIn, follow, signInTo, startProvider } from '../../support/openid/provider.ts'

const outcome = (asked: Promise<unknown>) =>
  asked.then(() => 'ok', ({ error, status }: { error?: string, status?: number }) => `${status} ${error}`)

t.test('an authorization server', async t => {
  const { addApplication, app, browse, issuer, owner } = await startProvider(t)
  const user = await createUser(owner, { name: 'Ada Lovelace' })
  const browser = browse()
  await browser.signIn(user.username)
  const application = await addApplication()
  const { relyingParty } = application

  t.test('tokens of applications open nothing else, and tokens of browsers nothing at the provider', async t => {
    const tokens = await signInTo(application, browser)
    const held = [tokens.access_token, tokens.id_token ?? '', tokens.refresh_token ?? '']
    for (const token of held) {
      for (const headers of [
        { cookie: `access_token=${token}` },
        { cookie: `access_token=${token}; refresh_token=${token}` },
        { authorization: `Bearer ${token}` },
      ]) {
        for (const url of ['/api/auth/me', '/api/auth/verify']) {
          t.equal((await app.inject({ url, headers })).statusCode, 401, url)
        }
      }
    }
    const others = [...held.slice(1), ...['access_token', 'refresh_token'].map(name => browser.cookies.get(name) ?? '')]
    for (const token of others) {
      t.ok(token)
      const headers = { authorization: `Bearer ${token}` }
      t.equal((await app.inject({ url: '/oidc/userinfo', headers })).statusCode, 401)
    }
    t.equal(await outcome(client.refreshTokenGrant(relyingParty, browser.cookies.get('refresh_token') ?? '')),
      '400 invalid_grant')
    const other = await addApplication({ trusted: false })
    t.match(await client.tokenIntrospection(other.relyingParty, tokens.access_token), { active: false })
    await client.tokenRevocation(other.relyingParty, tokens.access_token).catch(() => {})
    t.match(await client.tokenIntrospection(relyingParty, tokens.access_token), { active: true })
  })

  t.test('claims and tokens follow the scopes: none that is unknown, none that was not asked for', async t => {
    const tokens = await signInTo(application, browser, { scope: 'openid admin users:write' })
    t.equal(tokens.scope, 'openid')
    const info = await client.fetchUserInfo(relyingParty, tokens.access_token, user.id)
    for (const claims of [tokens.claims(), info]) {
      t.equal(claims?.sub, user.id)
      for (const name of ['email', 'email_verified', 'name', 'preferred_username']) t.equal(claims?.[name], undefined)
    }
    const refresh = (scope: string) => client.refreshTokenGrant(relyingParty, tokens.refresh_token ?? '', { scope })
    t.equal(await outcome(refresh('openid email')), '400 invalid_scope')
    t.equal((await refresh('openid')).scope, 'openid')
  })

  t.test('confidential applications authenticate at each endpoint', async t => {
    const tokens = await signInTo(application, browser)
    const spa = await addApplication({ kind: 'public', redirectUris: ['https://spa.example.org/callback'] })
    const { url } = await beginSignIn(application)
    const requests: Record<string, Record<string, string>> = {
      token: { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' },
      introspect: { token: tokens.access_token },
      revoke: { token: tokens.access_token },
      par: Object.fromEntries(url.searchParams),
    }
    for (const [endpoint, fields] of Object.entries(requests)) {
      const ask = async (more: { client_id: string, client_secret?: string }) => {
        const { status } = await fetch(`${issuer}/oidc/${endpoint}`, {
          method: 'POST',
          body: new URLSearchParams({ ...fields, ...more } as Record<string, string>),
        })
        return status
      }
      const { id, secret } = application
      for (const wrong of [
        { client_id: id },
        { client_id: id, client_secret: '' },
        { client_id: id, client_secret: '-' },
        { client_id: id, client_secret: `${secret}x` },
        { client_id: id, client_secret: (await addApplication()).secret },
      ]) {
        t.ok([400, 401].includes(await ask(wrong)), `${endpoint} ${Object.keys(wrong)}`)
      }
      t.match(await client.tokenIntrospection(relyingParty, tokens.access_token), { active: true }, endpoint)
    }
    t.strictSame(await client.tokenIntrospection(spa.relyingParty, tokens.access_token), { active: false })
  })

  t.test('refresh tokens have an absolute end, also for offline access that is used', async t => {
    const ends = async (isOffline: boolean) => {
      const { rows } = await owner.query(`
        SELECT extract(epoch FROM expires_at) AS at, extract(day FROM expires_at - signed_in_at) AS days
        FROM refresh_tokens WHERE revoked_at IS NULL AND application_id IS ${isOffline ? 'NOT' : ''} NULL`)
      t.equal(rows.length, 1)
      return rows[0]
    }
    const tokens = await signInTo(application, browser)
    const before = await ends(false)
    await client.refreshTokenGrant(relyingParty, tokens.refresh_token ?? '')
    t.strictSame(await ends(false), before, 'an application does not prolong the session of the browser')

    const offline = await signInTo(application, browser, { scope: 'openid offline_access' })
    const age = (days: number) => owner.query(
      "UPDATE refresh_tokens SET signed_in_at = now() - $1 * interval '1 day' WHERE application_id IS NOT NULL", [days])
    await age(80)
    const { refresh_token: next = '' } = await client.refreshTokenGrant(relyingParty, offline.refresh_token ?? '')
    t.equal(Number((await ends(true)).days), 90, 'SESSION_MAX_AGE, not 30 days from now')
    await age(90)
    const { refresh_token: last = '' } = await client.refreshTokenGrant(relyingParty, next)
    t.equal(await outcome(client.refreshTokenGrant(relyingParty, last)), '400 invalid_grant')
  })

  t.test('consent: an application without an identity that can be proved asks each time', async t => {
    const native = await addApplication({ kind: 'public', redirectUris: ['com.example.app:/callback'], trusted: false })
    for (const time of ['first', 'second']) {
      const silent = await beginSignIn(native, { prompt: 'none' })
      const refused = new URL(String((await browser.get(silent.path)).headers.location))
      t.match(refused.searchParams.get('error'), /^(consent|interaction)_required$/)
      const { path } = await beginSignIn(native)
      const interaction = new URL(String((await browser.get(path)).headers.location), issuer).pathname
      t.match(interaction, '/oidc/interaction/')
      t.match((await browser.get(`${interaction}/request`)).json(), { prompt: 'consent' })
      const { next } = (await browser.guarded('POST', interaction, { allow: true })).json()
      const { location } = await follow(browser, new URL(next).pathname)
      t.equal(location?.protocol, 'com.example.app:')
      t.ok(location?.searchParams.get('code'), time)
    }
  })
})
