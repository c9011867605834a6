import t from 'tap'
import { createBrowser, createUser } from '../support/browser.ts'
import { buildShared } from '../support/build.ts'

t.test('POST /logout: ends only this session (204)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const [here, there] = [createBrowser(app), createBrowser(app)]
  await here.signIn(user.username)
  await there.signIn(user.username)
  const kept = here.cookies.get('refresh_token') as string
  t.equal((await here.post('/logout')).statusCode, 204)
  t.strictSame([...here.cookies.keys()].filter(name => name.endsWith('_token')), [])
  here.cookies.set('refresh_token', kept)
  t.equal((await here.refresh()).statusCode, 401)
  t.equal((await there.refresh()).statusCode, 200)
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'sign_out'")).rowCount, 1)
})

t.test('POST /logout: not signed in, twice, or without the access token (204)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  t.equal((await browser.post('/logout')).statusCode, 204)
  await browser.signIn(user.username)
  browser.cookies.delete('access_token')
  t.equal((await browser.post('/logout')).statusCode, 204)
  t.equal((await browser.post('/logout')).statusCode, 204)
  t.strictSame(await app.sessionsStore.live(user.id), [])
})

t.test('POST /logout: with only the access token (204)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  browser.cookies.delete('refresh_token')
  t.equal((await browser.post('/logout')).statusCode, 204)
  t.strictSame(await app.sessionsStore.live(user.id), [])
})
