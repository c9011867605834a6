import t, { type Test } from 'tap'
import { createAuthenticator, type Fault } from '../../../../support/authenticator.ts'
import { createBrowser, createUser, NO_LIMITS } from '../../../../support/browser.ts'
import { buildShared } from '../../../../support/build.ts'
import { addPasskey, enrolled, ORIGIN, signInWithPasskey } from '../../../../support/passkeys.ts'
import { eventually } from '../../../../support/patience.ts'
import { shareSmtp } from '../../../../support/smtp.ts'

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, {
    settings: { ...NO_LIMITS, SMTP_URL: smtp.url, PUBLIC_URL: ORIGIN, ...settings },
  })
  const user = await createUser(owner, { name: 'Ada Lovelace' })
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const eventsOf = async (what: string) =>
    (await owner.query('SELECT FROM auth_events WHERE what = $1 AND user_id = $2', [what, user.id])).rowCount
  return { smtp, app, owner, user, browser, eventsOf }
}

const refreshProof = (owner: { query (sql: string): unknown }, age: string) =>
  owner.query(`UPDATE refresh_tokens SET signed_in_at = now() - interval '${age}', auth_time = NULL`)

t.test('POST /api/auth/factors/passkeys/options: user verification, a random handle, no attestation (200)', async t => {
  const { owner, user, browser } = await setUp(t)
  const { authenticator } = await enrolled(browser)
  const options = (await browser.guarded('POST', '/api/auth/factors/passkeys/options')).json()
  t.match(options, {
    rp: { id: 'auth.example.com', name: 'Gatehouse' },
    user: { name: user.username, displayName: 'Ada Lovelace' },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: [{ id: authenticator.id, transports: ['internal'] }],
  })
  t.equal(options.user.id, authenticator.handle, 'one handle for all passkeys of an account')
  t.equal(Buffer.from(options.user.id, 'base64url').length, 32)
  t.notMatch(Buffer.from(options.user.id, 'base64url').toString('latin1'), new RegExp(`^${user.id}$`))
  const { rows } = await owner.query('SELECT passkey_handle FROM users WHERE id = $1', [user.id])
  t.equal(rows[0].passkey_handle.toString('base64url'), options.user.id)
})

t.test('POST /api/auth/factors/passkeys: added, with an event and a mail; twice (409)', async t => {
  const { smtp, app, user, browser, eventsOf } = await setUp(t)
  const authenticator = createAuthenticator(ORIGIN)
  const added = await addPasskey(browser, authenticator, {}, 'My laptop')
  t.equal(added.statusCode, 201)
  t.match(added.json(), {
    passkey: { credentialId: authenticator.id, name: 'My laptop', synced: true, lastUsedAt: null },
  })
  const mail = await smtp.next()
  t.match(mail, { reader: user.email, text: /passkey/i })
  t.equal(await eventsOf('passkey_added'), 1)
  t.equal((await signInWithPasskey(createBrowser(app), authenticator)).statusCode, 200)

  await signInWithPasskey(browser, authenticator)
  const again = await addPasskey(browser, authenticator)
  t.equal(again.statusCode, 409)
  const stranger = createBrowser(app)
  await stranger.signIn((await createUser((await setUp(t)).owner)).username)
  t.equal((await addPasskey(stranger, authenticator)).statusCode, 409, 'a passkey has one owner')
})

const FAULTS: Record<string, Fault> = {
  'no user verification': { userVerified: false },
  'another origin': { origin: 'https://evil.example' },
  'another relying party': { rpId: 'evil.example' },
  'another challenge': { challenge: Buffer.alloc(32).toString('base64url') },
  'an answer to get()': { type: 'webauthn.get' },
  // To verify them, the library would load revocation lists from the addresses in the certificates.
  'an attestation with a certificate': { attestation: 'certificate' },
  'an attestation of a TPM': { attestation: 'tpm' },
  'an attestation of a U2F device': { attestation: 'fido-u2f' },
  'an attestation of Android': { attestation: 'android-key' },
  'an attestation of Apple': { attestation: 'apple' },
  'an attestation by another key': { attestation: 'self', forged: true },
}

for (const [what, fault] of Object.entries(FAULTS)) {
  t.test(`POST /api/auth/factors/passkeys: ${what} (400)`, async t => {
    const { owner, browser } = await setUp(t)
    const refused = await addPasskey(browser, createAuthenticator(ORIGIN), fault)
    t.equal(refused.statusCode, 400)
    t.match(refused.json(), { error: 'Invalid passkey' })
    t.equal((await owner.query('SELECT FROM passkeys')).rowCount, 0)
  })
}

t.test('POST /api/auth/factors/passkeys: an attestation by the passkey itself proves nothing, and harms nothing (201)',
  async t => {
    const { browser } = await setUp(t)
    t.equal((await addPasskey(browser, createAuthenticator(ORIGIN), { attestation: 'self' })).statusCode, 201)
  })

t.test('POST /api/auth/factors/passkeys: a challenge of a sign-in, of another user, or used before (400)', async t => {
  const { app, owner, browser } = await setUp(t)
  const authenticator = createAuthenticator(ORIGIN)
  const options = (await browser.guarded('POST', '/api/auth/factors/passkeys/options')).json()
  const add = (response: object, from = browser) =>
    from.guarded('POST', '/api/auth/factors/passkeys', { response, name: 'x' })
  const { challenge } = (await browser.post('/login/passkey/options')).json()
  t.equal((await add(authenticator.create({ ...options, challenge }))).statusCode, 400, 'for a sign-in')

  const other = createBrowser(app)
  await other.signIn((await createUser(owner)).username)
  other.cookies.set('passkey_challenge', browser.cookies.get('passkey_challenge') as string)
  t.equal((await add(authenticator.create(options), other)).statusCode, 400, 'of another user')

  t.equal((await add(authenticator.create(options, { userVerified: false }))).statusCode, 400)
  t.equal((await add(authenticator.create(options))).statusCode, 400, 'used before')
})

t.test('POST /api/auth/factors/passkeys: at most 20, also at once (409)', async t => {
  const { app, owner, user } = await setUp(t)
  // Each with a session of its own: a passkey that is added replaces the session.
  const browsers = [createBrowser(app), createBrowser(app), createBrowser(app)]
  for (const browser of browsers) await browser.signIn(user.username)
  await owner.query(`
    INSERT INTO passkeys (id, user_id, public_key, device_type, backed_up, name)
    SELECT 'x' || n, $1, '', 'singleDevice', false, 'x' FROM generate_series(1, 19) n`, [user.id])
  await owner.query("UPDATE refresh_tokens SET amr = '{pwd,otp,mfa}'")
  const answers = await Promise.all(browsers.map(async browser => {
    const options = (await browser.guarded('POST', '/api/auth/factors/passkeys/options')).json()
    const response = createAuthenticator(ORIGIN).create(options)
    return browser.guarded('POST', '/api/auth/factors/passkeys', { response, name: 'x' })
  }))
  t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [201, 409, 409])
})

t.test('PATCH, DELETE /api/auth/factors/passkeys/:id: renamed, removed; of another user (404)', async t => {
  const { smtp, app, owner, browser, user, eventsOf } = await setUp(t)
  const { authenticator, passkey } = await enrolled(browser)
  await smtp.next()
  await signInWithPasskey(browser, authenticator)
  const other = createBrowser(app)
  await other.signIn((await createUser(owner)).username)
  const path = `/api/auth/factors/passkeys/${passkey.id}`
  t.equal((await other.guarded('PATCH', path, { name: 'Mine' })).statusCode, 404)
  t.equal((await other.guarded('DELETE', path)).statusCode, 404)

  const renamed = await browser.guarded('PATCH', path, { name: 'Desk' })
  t.equal(renamed.statusCode, 200)
  t.match(renamed.json(), { passkey: { id: passkey.id, name: 'Desk' } })
  t.equal(await eventsOf('passkey_renamed'), 1)
  t.equal((await browser.guarded('DELETE', path)).statusCode, 204)
  t.equal((await browser.guarded('DELETE', path)).statusCode, 404)
  t.equal(await eventsOf('passkey_removed'), 1)
  await eventually(
    () => smtp.mails.filter(({ reader, text }) => reader === user.email && /passkey was removed/i.test(text ?? '')),
    ({ length }) => length === 1
  )
  t.equal((await signInWithPasskey(createBrowser(app), authenticator)).statusCode, 401)
})

t.test('passkeys: without a recent proof of identity (403), and without a CSRF token (403)', async t => {
  const { app, owner, user, browser } = await setUp(t)
  const former = createBrowser(app)
  await former.signIn(user.username)
  const { passkey } = await enrolled(browser)
  const attempts: Array<['POST' | 'PATCH' | 'DELETE', string, object?]> = [
    ['POST', '/api/auth/factors/passkeys/options'],
    ['PATCH', `/api/auth/factors/passkeys/${passkey.id}`, { name: 'x' }],
    ['DELETE', `/api/auth/factors/passkeys/${passkey.id}`],
  ]
  for (const [method, url, body] of attempts) {
    const refused = await former.guarded(method, url, body)
    t.equal(refused.statusCode, 403, 'the password alone is not enough any more')
    t.match(refused.json(), { error: 'Confirm it is you', methods: ['passkey'] })
  }
  for (const [method, url, body] of attempts) t.equal((await browser.send(method, url, body)).statusCode, 403)
  await refreshProof(owner, '11 minutes')
  for (const [method, url, body] of attempts) {
    t.match((await browser.guarded(method, url, body)).json(), { error: 'Confirm it is you' }, 'too long ago')
  }
  await refreshProof(owner, '9 minutes')
  t.equal((await browser.guarded('PATCH', attempts[1]?.[1] ?? '', { name: 'x' })).statusCode, 200)
})

t.test('DELETE /api/auth/factors/passkeys/:id: the last way in, also by two requests at once (409)', async t => {
  const { app, owner, user, browser } = await setUp(t)
  const [first, second] = [await enrolled(browser), await enrolled(browser)]
  await owner.query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id])
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  const remove = (id: string) =>
    browser.send('DELETE', `/api/auth/factors/passkeys/${id}`, undefined, { 'x-csrf-token': csrfToken })
  const answers = await Promise.all([remove(first.passkey.id), remove(second.passkey.id)])
  t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [204, 409])
  t.equal((await owner.query('SELECT FROM passkeys WHERE user_id = $1', [user.id])).rowCount, 1)
  const left = answers[0]?.statusCode === 204 ? second : first
  t.equal((await remove(left.passkey.id)).statusCode, 409)
  t.equal((await signInWithPasskey(createBrowser(app), left.authenticator)).statusCode, 200)
})

t.test('passkeys with SECOND_FACTOR=off: none can be added (403), existing ones still work', async t => {
  const { app, owner, browser } = await setUp(t, { SECOND_FACTOR: 'off' })
  const authenticator = createAuthenticator(ORIGIN)
  app.config.SECOND_FACTOR = 'optional'
  t.equal((await addPasskey(browser, authenticator)).statusCode, 201)
  app.config.SECOND_FACTOR = 'off'
  t.equal((await signInWithPasskey(browser, authenticator)).statusCode, 200)
  const refused = await addPasskey(browser, createAuthenticator(ORIGIN))
  t.equal(refused.statusCode, 403)
  t.match(refused.json(), { message: 'Second factors are turned off.' })
  t.equal((await owner.query('SELECT FROM passkeys')).rowCount, 1)
})
