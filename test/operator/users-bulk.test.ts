import t from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { buildOperator } from '../support/operator.ts'
import { signInAs } from '../support/operator-roles.ts'
import { eventually } from '../support/patience.ts'

const service = await buildOperator(t, { settings: NO_LIMITS })
const { api, app, owner } = service

/** Accounts that a search for `q` finds. */
async function createMany (q: string, count: number) {
  const names = Array.from({ length: count }, (_, index) => `${q}-${index}`)
  return Promise.all(names.map(username => createUser(owner, { username })))
}
const idsOf = async (query: object) =>
  (await api('GET', `/users/ids?${new URLSearchParams({ ...query })}`)).json().ids as string[]
const eventsOf = async (ids: string[]) => (await owner.query(`
  SELECT what, actor FROM auth_events
  WHERE coalesce(user_id, account_id) = ANY ($1) AND actor IS NOT NULL`, [ids])).rows
const disabled = async (ids: string[]) => (await owner.query(
  'SELECT FROM users WHERE id = ANY ($1) AND disabled_at IS NOT NULL', [ids])).rowCount

t.test('GET /users/ids: what the search finds, in the order of the ids, page by page (200)', async t => {
  const users = await createMany('listed', 3)
  const ids = users.map(({ id }) => id).toSorted((a, b) => Number(a) - Number(b))
  t.strictSame(await idsOf({ q: 'listed-' }), ids)
  t.strictSame(await idsOf({ q: 'listed-', after: ids[0] as string }), ids.slice(1))
  t.strictSame(await idsOf({ q: 'listed-', state: 'disabled' }), [])
  for (const query of ['after=x', 'limit=3', 'state=gone']) {
    t.equal((await api('GET', `/users/ids?${query}`)).statusCode, 400, query)
  }
})

t.test('bulk: the accounts that were found, each with its event; operators are skipped (200)', async t => {
  const administrator = await signInAs(service, 'administrator')
  const users = await createMany('group', 4)
  const [first, chief, waiting] = users as [typeof users[0], typeof users[0], typeof users[0]]
  await app.operators.add(chief.id, 'viewer')
  await owner.query('INSERT INTO suspended_operators (user_id) VALUES ($1)', [waiting.id])
  const visitor = createBrowser(app)
  await visitor.signIn(first.username)
  const filter = { q: 'group-', state: 'active' }
  const ids = await idsOf(filter)
  t.equal(ids.length, 4)
  // It begins to match after the search: nobody has confirmed that it should be changed.
  const late = await createUser(owner, { username: 'group-late' })

  const answer = await administrator.send('POST', '/users/bulk/disable', { ids, filter })
  t.equal(answer.statusCode, 200)
  t.match(answer.json(), { done: 2, unchanged: 0, skipped: { length: 2 } })
  t.match(answer.json().skipped.map(({ username }: { username: string }) => username).sort(),
    [chief.username, waiting.username].sort())
  t.match(answer.json().skipped[0].reason, /is an operator/)
  t.equal(await disabled([...ids, late.id]), 2)
  t.equal((await visitor.get('/api/auth/account')).statusCode, 401)
  const actor = `operator ${administrator.username}`
  t.strictSame(await eventsOf(ids), Array(2).fill({ what: 'account_disabled', actor }))

  const again = (await administrator.send('POST', '/users/bulk/disable', { ids, filter })).json()
  t.match(again, { done: 0, unchanged: 0 })
  t.equal(again.skipped.filter(({ reason }: { reason: string }) => /does not find/.test(reason)).length, 2)
  const all = (await administrator.send('POST', '/users/bulk/disable', { ids: [first.id] })).json()
  t.strictSame(all, { done: 0, unchanged: 1, skipped: [] }, 'without a filter: nothing to do')
})

t.test('bulk: what does not match any more is left alone, and what is gone is reported (200)', async t => {
  const users = await createMany('moving', 3)
  const [a, b, c] = users as [typeof users[0], typeof users[0], typeof users[0]]
  const filter = { q: 'moving-', state: 'disabled' }
  await owner.query('UPDATE users SET disabled_at = now() WHERE id = ANY ($1)', [[a.id, b.id, c.id]])
  const ids = await idsOf(filter)
  await app.administration.enable(await app.users.findById(a.id) as never)
  await owner.query('DELETE FROM users WHERE id = $1', [b.id])
  const { done, skipped } = (await api('POST', '/users/bulk/delete', { ids, filter })).json()
  t.equal(done, 1)
  t.match(skipped.find(({ id }: { id: string }) => id === a.id).reason, /does not find/)
  t.match(skipped.find(({ id }: { id: string }) => id === b.id).reason, /does not exist any more/)
  t.ok(await app.users.findById(a.id))
  t.notOk(await app.users.findById(c.id))
})

t.test('bulk: two operators at once, and a double click: each account is changed once', async t => {
  const filter = { q: 'twice-', state: 'active' }
  await createMany('twice', 12)
  const ids = await idsOf(filter)
  const both = await Promise.all([1, 2].map(() => api('POST', '/users/bulk/disable', { ids, filter })))
  const results = both.map(answer => answer.json())
  t.equal(results[0].done + results[1].done, 12)
  t.equal((await eventsOf(ids)).length, 12)
})

for (const [action, what] of [
  ['enable', 'account_enabled'], ['end-sessions', 'all_sessions_ended'], ['expire-password', 'password_expired'],
  ['delete', 'account_deleted'],
]) {
  t.test(`bulk ${action}: as for one account (200)`, async t => {
    const users = await createMany(`many-${action}`, 3)
    const ids = users.map(({ id }) => id)
    if (action === 'enable') await owner.query('UPDATE users SET disabled_at = now() WHERE id = ANY ($1)', [ids])
    t.strictSame((await api('POST', `/users/bulk/${action}`, { ids, filter: { q: `many-${action}` } })).json(),
      { done: 3, unchanged: 0, skipped: [] })
    t.strictSame(await eventsOf(ids), Array(3).fill({ what, actor: 'key test' }))
  })
}

t.test('bulk: no ids, too many, wrong ones or a wrong filter (400)', async t => {
  const { id } = await createUser(owner)
  for (const body of [
    {}, { ids: [] }, { ids: Array(101).fill(id) }, { ids: ['x'] }, { ids: [id], filter: { state: 'gone' } },
    { ids: [id], filter: { sort: 'created' } }, { filter: {} }, { ids: id },
  ]) t.equal((await api('POST', '/users/bulk/disable', body)).statusCode, 400, JSON.stringify(body).slice(0, 60))
  t.equal(await disabled([id]), 0)
})

t.test('bulk: an account that stops to match, or becomes an operator, while it waits for its turn is left alone',
  async t => {
    const administrator = await signInAs(service, 'administrator')
    const users = await createMany('turn', 3)
    const filter = { q: 'turn-', confirmed: 'yes' }
    const ids = await idsOf(filter)
    const [first, second, third] = ids as [string, string, string]
    t.equal(users.length, ids.length)
    const client = await owner.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [first])
    const running = administrator.send('POST', '/users/bulk/delete', { ids, filter })
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    await eventually(() => owner.query(waiting), ({ rowCount }) => rowCount === 1)
    await owner.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [second])
    await app.operators.add(third, 'viewer')
    await client.query('COMMIT')
    client.release()
    t.match((await running).json(), { done: 1, skipped: [{ id: second }, { id: third }] })
    t.notOk(await app.users.findById(first))
    for (const id of [second, third]) t.ok(await app.users.findById(id), id)
  })
