import t from 'tap'
import { createBrowser, createUser } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'

t.test('GET /api/auth/account: the account of the signed-in user (200)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner, { name: 'Ada' })
  const browser = createBrowser(app)
  t.equal((await browser.get('/api/auth/account')).statusCode, 401)
  await browser.signIn(user.username)
  const answer = await browser.get('/api/auth/account')
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), {
    user: { id: user.id, username: user.username, email: user.email, name: 'Ada' },
    language: null,
    timeZone: null,
    hasPassword: true,
  })

  await owner.query("UPDATE users SET password_hash = NULL, provider = 'provider_a', provider_a_id = '1'")
  t.match((await browser.get('/api/auth/account')).json(), { hasPassword: false })
  await owner.query('DELETE FROM users')
  t.equal((await browser.get('/api/auth/account')).statusCode, 401)
})

t.test('GET /api/auth/session: signed in or not, by the cookies (200)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  const NOBODY = { user: null, expiresIn: 0, renewable: false }
  t.strictSame((await browser.get('/api/auth/session')).json(), NOBODY)
  await browser.signIn(user.username)
  const state = (await browser.get('/api/auth/session')).json()
  t.match(state, { user: { id: user.id, username: user.username }, renewable: true })
  t.ok(state.expiresIn > 890 && state.expiresIn <= 900)

  const { cookies } = browser
  const [access, refresh] = ['access_token', 'refresh_token'].map(name => cookies.get(name) as string)
  const given = async (jar: Record<string, string>) =>
    (await app.inject({ url: '/api/auth/session', cookies: jar })).json()
  t.strictSame(await given({ refresh_token: refresh as string }), { ...NOBODY, renewable: true })
  t.match(await given({ access_token: access as string }), { user: { id: user.id }, renewable: false })
  t.strictSame(
    await given({ access_token: refresh as string, refresh_token: access as string }),
    NOBODY,
    'each under its own key'
  )
  t.strictSame(await given({ access_token: 'x', refresh_token: 'y' }), NOBODY)
})
