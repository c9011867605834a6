import t from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { buildOperator } from '../support/operator.ts'
import { signInAs } from '../support/operator-roles.ts'

const service = await buildOperator(t, { settings: NO_LIMITS })
const { addKey, api, app, operator, owner } = service

const exportsOf = async (id: string) => (await owner.query(
  "SELECT what, actor FROM auth_events WHERE user_id = $1 AND what LIKE 'data_exported%'", [id])).rows

t.test('POST /users/:id/export: the document of the owner, with an event that the owner sees (200)', async t => {
  const user = await createUser(owner, { name: 'Ada Lovelace' })
  const visitor = createBrowser(app)
  await visitor.signIn(user.username)
  const support = await signInAs(service, 'support')
  const answer = await support.send('POST', `/users/${user.id}/export`)
  t.match(answer, {
    statusCode: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account-data.json"',
      'cache-control': 'no-store',
    },
  })
  const own = (await visitor.get('/api/auth/export')).json()
  const given = answer.json()
  t.strictSame(Object.keys(given), Object.keys(own))
  t.strictSame(given.account, own.account)
  t.strictSame(given.sessions, own.sessions)
  t.match(given.events[0], { what: 'data_exported_by_operator', byOperator: true })
  t.notMatch(answer.body, support.username, 'not which operator it was')
  t.match(await exportsOf(user.id), [{ what: 'data_exported_by_operator', actor: `support ${support.username}` }])
  const { events } = (await visitor.get('/api/auth/events')).json()
  t.ok(events.some(({ what }: { what: string }) => what === 'data_exported_by_operator'), 'in the list of the owner')
})

t.test('POST /users/:id/export: keys, sessions without a fresh proof, and viewers get nothing (403)', async t => {
  const { id } = await createUser(owner)
  t.match((await api('POST', `/users/${id}/export`)).json(), { error: 'Session of an operator required' })
  t.equal((await operator.inject({ method: 'POST', url: `/operator/api/v1/users/${id}/export` })).statusCode, 401)
  const headers = { authorization: `Bearer ${await addKey('writer', ['users:read', 'users:write'])}` }
  const url = `/operator/api/v1/users/${id}/export`
  t.equal((await operator.inject({ method: 'POST', url, headers })).statusCode, 403)
  const administrator = await signInAs(service, 'administrator')
  await owner.query("UPDATE operator_sessions SET proved_at = now() - interval '11 minutes'")
  t.match((await administrator.send('POST', `/users/${id}/export`)).json(), { error: 'Confirm it is you' })
  t.match((await administrator.browser.send('POST', url)).statusCode, 403, 'without a CSRF token')
  const code = await administrator.totp.freshCode()
  t.equal((await administrator.send('POST', '/session/confirm', { code })).statusCode, 204)
  t.strictSame(await exportsOf(id), [])
  t.equal((await administrator.send('POST', `/users/${id}/export`)).statusCode, 200)
  t.equal((await administrator.send('POST', '/users/999999999999/export')).statusCode, 404)
})

t.test('POST /users/:id/export: of an operator, only for administrators (403, 200)', async t => {
  const target = await signInAs(service, 'viewer')
  const support = await signInAs(service, 'support')
  const refused = await support.send('POST', `/users/${target.id}/export`)
  t.match(refused.json(), { error: 'Account of an operator' })
  t.strictSame(await exportsOf(target.id), [])
  const administrator = await signInAs(service, 'administrator')
  t.match((await administrator.send('POST', `/users/${target.id}/export`)).json(), { operator: { role: 'viewer' } })
})
