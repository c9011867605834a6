import t from 'tap'
import type { User } from '../../plugins/records/accounts/users.ts'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { buildOperator } from '../support/operator.ts'
import { eventually } from '../support/patience.ts'
import { startSmtp } from '../support/smtp.ts'

const smtp = await startSmtp(t)
const { app, api, owner } = await buildOperator(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } })
const mailTo = (email: string) => eventually(() => smtp.mails.find(({ reader }) => reader === email), Boolean)
const eventsOf = async (id: string) => (await owner.query(
  'SELECT what, subject, actor FROM auth_events WHERE user_id = $1 ORDER BY id', [id])).rows

t.test('PATCH /users/:id: each field, with one event that names them and who did it (200)', async t => {
  const { id, username } = await createUser(owner, { username: 'before', name: 'Ada' })
  const browser = createBrowser(app)
  await browser.signIn(username)
  const wanted = {
    name: 'Ada King', username: 'after', language: 'de', timeZone: 'Europe/Berlin', externalId: 'customer-1815',
  }
  const answer = await api('PATCH', `/users/${id}`, wanted)
  t.match(answer, { statusCode: 200 })
  t.match(answer.json(), { user: wanted, changed: { length: 5 }, emailRequested: null })
  t.match(await api('PATCH', `/users/${id}`, wanted), { body: /"changed":\[\]/ }, 'the same is no change')
  t.match(await api('PATCH', `/users/${id}`, { name: null, externalId: null }), {
    body: /"name":null,"externalId":null.*"changed":\["name","externalId"\]/,
  })
  t.match((await eventsOf(id)).filter(({ actor }) => actor), [
    { what: 'profile_changed', subject: 'name,language,timeZone,username,externalId', actor: 'key test' },
    { what: 'profile_changed', subject: 'name,externalId', actor: 'key test' },
  ])
  t.equal((await browser.get('/api/auth/account')).json().user.username, 'after')
  t.equal((await createBrowser(app).signIn('after')).statusCode, 200)
  t.equal((await createBrowser(app).signIn('before')).statusCode, 401)
})

t.test('PATCH /users/:id: an emoji is one character, as in a registration (200)', async t => {
  const { id } = await createUser(owner)
  const longest = { name: '🙂'.repeat(200), externalId: '🙂'.repeat(255) }
  t.match((await api('PATCH', `/users/${id}`, longest)).json(), { user: longest })
  for (const body of [{ name: '🙂'.repeat(201) }, { externalId: '🙂'.repeat(256) }, { username: 'ada🙂lovelace' }]) {
    t.equal((await api('PATCH', `/users/${id}`, body)).statusCode, 400)
    const user = await app.users.findById(id) as User
    await t.rejects(app.changeAccount(user, body), { message: /^Invalid/, statusCode: 400 }, 'on the command line')
  }
})

t.test('PATCH /users/:id: what is wrong (400), taken (409), missing (404), or an operator (403)', async t => {
  const { id } = await createUser(owner)
  const other = await createUser(owner, { username: 'other', external_id: 'other-1' })
  for (const body of [
    {}, { username: 'a' }, { username: null }, { email: 'x' }, { email: null }, { language: 'xx' },
    { timeZone: 'Mars' }, { timeZone: '+02:00' }, { externalId: '' }, { name: 'a\nb' }, { data: [] },
    { passwordHash: 'x' },
  ]) t.equal((await api('PATCH', `/users/${id}`, body)).statusCode, 400, JSON.stringify(body))
  for (const [body, message] of [
    [{ username: 'OTHER' }, 'This username is taken.'], [{ externalId: 'other-1' }, 'This external id is taken.'],
    [{ email: other.email.toUpperCase() }, 'This email is taken.'],
  ] as const) t.match((await api('PATCH', `/users/${id}`, body)).json(), { message })
  t.equal((await api('PATCH', '/users/999999999', { name: 'x' })).statusCode, 404)
  await owner.query('INSERT INTO operators (user_id) VALUES ($1)', [other.id])
  t.equal((await api('PATCH', `/users/${other.id}`, { name: 'x' })).statusCode, 403)
  t.strictSame(await eventsOf(id), [])
})

t.test('PATCH /users/:id: an email needs the link, and the former address can undo it', async t => {
  const user = await createUser(owner, { username: 'mover' })
  const link = async (email: string) => {
    smtp.forget()
    t.match((await api('PATCH', `/users/${user.id}`, { email })).json(), {
      user: { email: user.email }, changed: [], emailRequested: email,
    })
    return (await mailTo(email))?.token as string
  }
  const confirm = (token: string) => createBrowser(app).post('/verify-email/change', { token })
  const stale = await link('stale@example.com')
  await owner.query('UPDATE users SET password_hash = $2 WHERE id = $1', [user.id, '!another'])
  t.equal((await confirm(stale)).statusCode, 400, 'void with another password')

  const token = await link('new@example.com')
  t.equal((await confirm(token)).statusCode, 204)
  t.match((await api('GET', `/users/${user.id}`)).json(), { user: { email: 'new@example.com' } })
  t.match(await mailTo(user.email), { token: String })
  t.match((await eventsOf(user.id)).map(({ what, actor }) => [what, actor]), [
    ['email_change_requested', 'key test'], ['email_change_requested', 'key test'],
    ['email_changed', null],
  ])
  await api('POST', `/users/${user.id}/disable`)
  t.equal((await api('PATCH', `/users/${user.id}`, { email: 'third@example.com' })).statusCode, 409, 'disabled')
})
