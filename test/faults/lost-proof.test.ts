import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build, createDatabase } from '../support/build.ts'
import { createCookieClient } from '../support/faults/cookie-client.ts'
import { startProxy } from '../support/faults/tcp-proxy.ts'
import { eventually } from '../support/patience.ts'

const PATH = '/api/auth/reauthenticate'
const KEY = '0123456789abcdef'.repeat(4)

const { owner, settings } = await createDatabase(t)
const { app } = await build(t, { settings: { ...NO_LIMITS, ...settings } })
await app.listen({ port: 0 })
const { port } = app.server.address() as AddressInfo

/** The proof reaches the service, and its response does not reach the browser. */
async function loseResponse (t: Test, { key }: { key?: string } = {}) {
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  const proxy = await startProxy(t, port)
  const client = createCookieClient(new Map(browser.cookies))
  if (key) client.cookies.set('proof_key', key)
  const count = async (rows: string) => (await owner.query(`SELECT ${rows} AND user_id = $1`, [user.id])).rowCount
  await proxy.set({ kind: 'cut', afterBytes: 0 })
  const headers = { 'x-csrf-token': csrfToken }
  t.equal(await client.send(proxy.port, { path: PATH, body: { password: PASSWORD }, headers }), null)
  await eventually(() => count("FROM auth_events WHERE what = 'identity_confirmed'"), events => events === 1)
  t.equal(client.cookies.get('refresh_token'), browser.cookies.get('refresh_token'), 'the old cookies')
  const refresh = () => client.send(port, { path: '/api/auth/refresh' })
  const { id: userId, username } = user
  return { client, refresh, userId, username, live: () => count('FROM refresh_tokens WHERE revoked_at IS NULL') }
}

t.test('a lost response to a proof: the next refresh of the same browser goes on with the new session', async t => {
  const { client, refresh, live } = await loseResponse(t, { key: KEY })
  const second = createCookieClient(new Map(client.cookies))
  t.equal((await refresh())?.status, 200)
  t.notOk(client.cookies.has('proof_key'))
  t.equal((await second.send(port, { path: '/api/auth/refresh' }))?.status, 200, 'also in a second tab')
  t.equal(second.cookies.get('refresh_token'), client.cookies.get('refresh_token'), 'with the same token')
  t.equal((await client.send(port, { method: 'GET', path: '/api/auth/me' }))?.status, 200)
  t.equal(await live(), 1)
  t.equal((await refresh())?.status, 200, 'a rotation of the new session')
})

t.test('a lost response to a proof: the key is void after the first rotation, and after ten minutes', async t => {
  for (const change of [
    'UPDATE refresh_tokens SET generation = 1 WHERE user_id = $1 AND revoked_at IS NULL',
    "UPDATE refresh_tokens SET revoked_at = revoked_at - interval '11 minutes' WHERE user_id = $1",
    'UPDATE refresh_tokens SET revoked_at = now() WHERE user_id = $1',
    'UPDATE users SET disabled_at = now() WHERE id = $1',
  ]) {
    const { userId, refresh } = await loseResponse(t, { key: KEY })
    await owner.query(change, [userId])
    const answer = await refresh()
    t.equal(answer?.status, 401, change)
    t.equal(answer?.headers['set-cookie'], undefined)
  }
})

t.test('a lost response to a proof: nothing without the key, and nothing with one that could be guessed', async t => {
  t.equal((await (await loseResponse(t)).refresh())?.status, 401)
  t.equal((await (await loseResponse(t, { key: 'short' })).refresh())?.status, 401)
  const { client, refresh } = await loseResponse(t, { key: KEY })
  client.cookies.set('proof_key', KEY.replace('0', '1'))
  t.equal((await refresh())?.status, 401)
})

t.test('a lost response to a proof: a sign-out or a login in the same browser ends the new session too', async t => {
  const signedOut = await loseResponse(t, { key: KEY })
  const copy = createCookieClient(new Map(signedOut.client.cookies))
  copy.cookies.delete('proof_key')
  t.equal((await copy.send(port, { path: '/logout' }))?.status, 204)
  t.equal(await signedOut.live(), 1, 'a copy of the cookies from before the proof ends nothing')
  t.equal((await signedOut.client.send(port, { path: '/logout' }))?.status, 204)
  t.equal(await signedOut.live(), 0)

  const { client, live, username } = await loseResponse(t, { key: KEY })
  t.equal((await client.send(port, { path: '/login', body: { username, password: PASSWORD } }))?.status, 200)
  t.equal(await live(), 1)
})
