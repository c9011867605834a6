// A key that changes accounts, together with the password of an operator, must not be enough to become one.
import t, { type Test } from 'tap'
import { createBrowser, createUser, PASSWORD } from '../support/browser.ts'
import { API, SESSION, setUpOperator } from '../support/operator-session.ts'
import { eventually } from '../support/patience.ts'
import { addTotp } from '../support/second-factor.ts'
import { startSmtp } from '../support/smtp.ts'

const smtp = await startSmtp(t)
const service = await setUpOperator(t, { SMTP_URL: smtp.url })
const { api, app, operatorRoutes, owner } = service

/** Everything that is stored about an account, and its mails. */
async function stateOf (id: string) {
  const { rows: [row] } = await owner.query(`
    SELECT users.*, (SELECT count(*) FROM totp WHERE user_id = users.id) AS totp,
      (SELECT count(*) FROM operators WHERE user_id = users.id) AS operators,
      (SELECT count(*) FROM refresh_tokens WHERE user_id = users.id AND revoked_at IS NULL) AS sessions,
      (SELECT count(*) FROM auth_events WHERE user_id = users.id) AS events,
      (SELECT count(*) FROM pgboss.job WHERE name = 'mail' AND data->>'email' = email) AS mails
    FROM users WHERE id = $1`, [id])
  return row
}

async function createOperator (t: Test) {
  const user = await createUser(owner)
  const totp = await addTotp(owner, user.id)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  t.equal((await browser.post('/login/second-factor', { code: await totp.freshCode() })).statusCode, 200)
  await app.operators.add(user.id)
  return user
}

/** No key may export an account. */
const CHANGES = operatorRoutes
  .filter(route => route.includes('/users/:id') && !route.startsWith('GET ') && !route.endsWith('/export'))

t.test('an operator through a key: every change is refused with the reason, and nothing is written (403)', async t => {
  const { id } = await createOperator(t)
  const before = await stateOf(id)
  t.ok(CHANGES.length >= 7)
  for (const route of CHANGES) {
    const [method, path = ''] = route.split(' ') as ['POST' | 'DELETE' | 'PATCH' | 'PUT', string]
    const body = { PATCH: { name: 'Eve' }, PUT: { roles: ['admin'] }, POST: undefined, DELETE: undefined }[method]
    const answer = await api(method, path.replace(API, '').replace(':id', id), body, { 'if-match': '*' })
    t.match(answer, { statusCode: 403 }, route)
    t.match(answer.json(), { error: 'Account of an operator', message: /^This account is an operator\. Keys of the/ })
  }
  t.strictSame(await stateOf(id), before)
  t.match((await api('GET', `/users/${id}`)).json(), { isOperator: true })
})

for (const action of ['reset-factors', 'disable', 'send-reset-mail', 'expire-password']) {
  t.test(`${action} through a key, while the account becomes an operator: refused (403)`, async t => {
    const { id } = await createUser(owner)
    await addTotp(owner, id)
    const before = await stateOf(id)
    const adding = await owner.connect()
    t.teardown(() => adding.release())
    await adding.query('BEGIN')
    const { rows: [{ pid }] } = await adding.query('SELECT pg_backend_pid() AS pid')
    await adding.query('INSERT INTO operators (user_id) VALUES ($1)', [id])
    let hasAnswered = false
    const answer = api('POST', `/users/${id}/${action}`).finally(() => { hasAnswered = true })
    const isBlocked = async () =>
      (await owner.query('SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [pid])).rowCount === 1
    await eventually(async () => hasAnswered || await isBlocked(), Boolean)
    await adding.query('COMMIT')
    t.equal((await answer).statusCode, 403)
    t.strictSame(await stateOf(id), { ...before, operators: '1' })
  })
}

t.test('limits of the login of an operator, in any spelling, through a key: not cleared (403)', async t => {
  const user = await createOperator(t)
  for (const login of [user.username, user.username.toUpperCase(), user.email, `${user.username}\u0301`]) {
    t.equal((await api('DELETE', `/limits?account=${encodeURIComponent(login)}`)).statusCode, 403, login)
  }
  const { username } = await createUser(owner)
  t.equal((await api('DELETE', `/limits?account=${username}`)).statusCode, 200)
})

t.test('reset-factors by another operator: the right ends with the sessions, and the owner is told (200)', async t => {
  const target = await createOtherOperator(t)
  await service.signIn()
  const answer = await service.change('POST', `/users/${target.id}/reset-factors`)
  t.strictSame(answer.json(), { changed: true, operatorRemoved: true })
  t.equal((await target.browser.get(SESSION)).statusCode, 401)
  t.match((await target.browser.post(SESSION, { username: target.username, password: PASSWORD })).json(),
    { error: 'Not an operator' })
  const { rows } = await owner.query(
    'SELECT what, actor FROM auth_events WHERE user_id = $1 AND actor IS NOT NULL ORDER BY id', [target.id])
  const actor = `operator ${service.user.username}`
  t.strictSame(rows, [{ what: 'factors_reset', actor }, { what: 'operator_removed', actor }])
  const mail = await eventually(() => smtp.mails.find(({ reader }) => reader === target.email), Boolean)
  t.match(mail?.text, /The account is no longer an operator, until an administrator names it again\./)

  // New factors do not give the right back: only the command line does.
  await addTotp(owner, target.id)
  t.equal((await target.browser.post(SESSION, { username: target.username, password: PASSWORD })).statusCode, 403)
  await app.manageOperators.add(target.id)
  t.equal((await target.browser.post(SESSION, { username: target.username, password: PASSWORD })).statusCode, 202)
})

t.test('reset-factors: an account that is no operator loses no right (200)', async t => {
  const { id } = await createUser(owner)
  await addTotp(owner, id)
  t.strictSame((await api('POST', `/users/${id}/reset-factors`)).json(), { changed: true, operatorRemoved: false })
  t.strictSame((await api('POST', `/users/${id}/reset-factors`)).json(), { changed: false, operatorRemoved: false })
})

/** Another operator, with a session on the listener. */
async function createOtherOperator (t: Test) {
  const user = await createUser(owner)
  const totp = await addTotp(owner, user.id)
  await app.operators.add(user.id)
  const browser = createBrowser(service.operator)
  await browser.post(SESSION, { username: user.username, password: PASSWORD })
  t.equal((await browser.post(`${SESSION}/second-factor`, { code: await totp.freshCode() })).statusCode, 204)
  return { ...user, browser }
}

t.test('a change of address that a key asked for ends when the account becomes an operator (400)', async t => {
  const { id, email } = await createUser(owner)
  t.equal((await api('PATCH', `/users/${id}`, { email: 'thief@example.com' })).statusCode, 200)
  const mail = await eventually(() => smtp.mails.find(({ reader }) => reader === 'thief@example.com'), Boolean)
  await app.manageOperators.add(id)
  t.equal((await createBrowser(app).post('/verify-email/change', { token: mail?.token })).statusCode, 400)
  t.equal((await app.users.findById(id))?.email, email)
})
