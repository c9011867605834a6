import t, { type Test } from 'tap'
import { addressLink } from '../../../support/address-links.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'
import { eventually } from '../../../support/patience.ts'
import { shareSmtp } from '../../../support/smtp.ts'

const PUBLIC_URL = 'https://auth.example.com'

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url, PUBLIC_URL } })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const eventsOf = async (what: string) =>
    (await owner.query('SELECT FROM auth_events WHERE what = $1 AND user_id = $2', [what, user.id])).rowCount
  return {
    smtp,
    app,
    owner,
    user,
    browser,
    eventsOf,
    change: (email: string, from = browser) => from.guarded('POST', '/api/auth/email', { email }),
    confirm: (token: string) => createBrowser(app).post('/verify-email/change', { token }),
    undo: (token: string) => createBrowser(app).post('/verify-email/undo', { token }),
    emailOf: async (id = user.id) => (await owner.query('SELECT email FROM users WHERE id = $1', [id])).rows[0]?.email,
    mailTo: (reader: string, words: RegExp) => eventually(
      () => smtp.mails.findLast(mail => mail.reader === reader && words.test(mail.text ?? '')) as typeof smtp.mails[0],
      mail => mail !== undefined
    ),
  }
}

t.test('POST /api/auth/email → mail → POST /verify-email/change → mail to the former address', async t => {
  const { user, browser, app, eventsOf, change, confirm, emailOf, mailTo } = await setUp(t)
  const reset = await app.oneTimeTokens.issue(user.id, 'reset')
  t.equal((await change('New@example.org')).statusCode, 202)
  const mail = await mailTo('New@example.org', /Until then/)
  t.match(mail.text, `${PUBLIC_URL}/verify-email#token=${mail.token}&for=change`)
  t.equal(await emailOf(), user.email, 'nothing changes before the link is opened')

  t.equal((await confirm(mail.token)).statusCode, 204)
  t.equal(await emailOf(), 'New@example.org')
  t.match((await confirm(mail.token)).json(), { error: 'Invalid link' }, 'a link works once')
  const told = await mailTo(user.email, /was changed to New@\s?example\.\s?org/)
  t.match(told.text, `${PUBLIC_URL}/verify-email#token=${told.token}&for=undo`)
  t.equal(await app.oneTimeTokens.peek(reset, 'reset'), undefined, 'links to the former address are void')
  t.strictSame([await eventsOf('email_change_requested'), await eventsOf('email_changed')], [1, 1])
  t.equal((await browser.refresh()).statusCode, 200, 'the session goes on')
  t.equal((await createBrowser(app).signIn('new@example.org')).statusCode, 200)
  t.equal((await createBrowser(app).signIn(user.email)).statusCode, 401)
})

t.test('POST /verify-email/undo: restores the address and ends every session (204)', async t => {
  const { user, browser, app, eventsOf, change, confirm, undo, emailOf, mailTo } = await setUp(t)
  const other = createBrowser(app)
  await other.signIn(user.username)
  await change('thief@example.org')
  await confirm((await mailTo('thief@example.org', /Until then/)).token)
  const { token } = await mailTo(user.email, /was changed/)
  const reset = await app.oneTimeTokens.issue(user.id, 'reset')

  t.equal((await undo(token)).statusCode, 204)
  t.equal(await emailOf(), user.email)
  for (const each of [browser, other]) t.equal((await each.refresh()).statusCode, 401)
  t.equal(await app.oneTimeTokens.peek(reset, 'reset'), undefined, 'links to the other address are void')
  t.match(await mailTo(user.email, /again the email address/), { subject: /was restored/ })
  t.equal(await eventsOf('email_change_undone'), 1)
  t.match((await undo(token)).json(), { error: 'Invalid link' }, 'a link works once')
})

t.test('POST /verify-email/undo: a thief who changes address and password again cannot void it', async t => {
  const { user, browser, change, confirm, undo, emailOf, mailTo } = await setUp(t)
  await change('thief-1@example.org')
  await confirm((await mailTo('thief-1@example.org', /Until then/)).token)
  const { token } = await mailTo(user.email, /was changed/)
  await change('thief-2@example.org')
  await confirm((await mailTo('thief-2@example.org', /Until then/)).token)
  const { token: later } = await mailTo('thief-1@example.org', /was changed/)
  await browser.guarded('POST', '/api/auth/password', { current: PASSWORD, password: 'gl4ss-Harmonica-7!' })

  t.equal((await undo(token)).statusCode, 204)
  t.equal(await emailOf(), user.email)
  t.equal((await undo(later)).statusCode, 400, 'the address of the thief does not come back')
  t.equal(await emailOf(), user.email)
})

t.test('POST /verify-email/undo: an account that took the former address meanwhile', async t => {
  const { owner, user, change, confirm, undo, emailOf, mailTo } = await setUp(t)
  await change('new@example.org')
  await confirm((await mailTo('new@example.org', /Until then/)).token)
  const { token } = await mailTo(user.email, /was changed/)
  const squatter = await createUser(owner, { email: user.email })
  t.equal((await undo(token)).statusCode, 400, 'it has proved the address')
  t.equal(await emailOf(), 'new@example.org')
  await owner.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [squatter.id])
  t.equal((await undo(token)).statusCode, 204, 'it has not')
  t.equal(await emailOf(), user.email)
  t.equal(await emailOf(squatter.id), undefined)
})

t.test('links: a change expires after one hour, an undo after 72 hours; neither does the work of another', async t => {
  const { app, owner, user, confirm, undo, emailOf } = await setUp(t)
  const issue = (kind: 'change_email' | 'undo_email') => addressLink(app, owner, kind, user.id, 'x@example.org')
  const age = (interval: string) =>
    owner.query(`UPDATE one_time_tokens SET expires_at = expires_at - interval '${interval}'`)
  const [change, back] = [await issue('change_email'), await issue('undo_email')]
  t.equal((await confirm(back)).statusCode, 400)
  t.equal((await undo(change)).statusCode, 400)
  for (const path of ['/verify-email', '/reset-password/confirm']) {
    const body = path === '/verify-email' ? {} : { password: 'gl4ss-Harmonica-7!' }
    for (const token of [change, back]) {
      t.equal((await createBrowser(app).post(path, { token, ...body })).statusCode, 400, path)
    }
  }
  await age('61 minutes')
  t.equal((await confirm(change)).statusCode, 400)
  await age('71 hours')
  t.equal((await undo(back)).statusCode, 400)
  t.equal(await emailOf(), user.email)
})

t.test('POST /api/auth/email: an address that is taken: the same response, and its owner is told (202)', async t => {
  const { smtp, owner, user, change, emailOf, mailTo } = await setUp(t)
  const other = await createUser(owner)
  const free = await change('free@example.org')
  const taken = await change(other.email.toUpperCase())
  t.equal(taken.statusCode, 202)
  t.equal(taken.body, free.body)
  t.strictSame(Object.keys(taken.headers), Object.keys(free.headers))
  const told = await mailTo(other.email, /belongs to your account/)
  t.equal(told.token, '')
  t.match(told.text, `“${other.username}”`)

  t.equal((await change(user.email)).statusCode, 202)
  t.equal(await emailOf(), user.email)
  t.equal(smtp.mails.filter(({ reader, token }) => reader === user.email && token).length, 0)
})

t.test('POST /verify-email/change: two accounts and one address at once, one gets it', async t => {
  const { app, owner, user, confirm } = await setUp(t)
  const other = await createUser(owner)
  await createBrowser(app).signIn(other.username)
  const tokens = [
    await addressLink(app, owner, 'change_email', user.id, 'wanted@example.org'),
    await addressLink(app, owner, 'change_email', other.id, 'Wanted@example.org'),
  ]
  const answers = await Promise.all(tokens.map(confirm))
  t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [204, 400])
  t.equal((await owner.query("SELECT FROM users WHERE lower(email) = 'wanted@example.org'")).rowCount, 1)

  const token = await addressLink(app, owner, 'change_email', user.id, 'again@example.org')
  const tries = await Promise.all(Array.from({ length: 20 }, () => confirm(token)))
  t.equal(tries.filter(({ statusCode }) => statusCode === 204).length, 1, 'one link, twenty at once')
})

t.test('POST /verify-email/change: an unproven account with the address goes; a disabled one stays', async t => {
  const { app, owner, user, confirm, emailOf } = await setUp(t)
  const squatter = await createUser(owner, { email: 'mine@example.org', email_verified_at: null })
  const mine = await addressLink(app, owner, 'change_email', user.id, 'mine@example.org')
  t.equal((await confirm(mine)).statusCode, 204)
  t.equal(await emailOf(), 'mine@example.org')
  t.equal(await emailOf(squatter.id), undefined)

  const token = await addressLink(app, owner, 'change_email', user.id, 'later@example.org')
  await owner.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id])
  t.equal((await confirm(token)).statusCode, 400)
  t.equal(await emailOf(), 'mine@example.org')
})

t.test('POST /api/auth/email: without a recent proof, a CSRF token (403) or a session (401)', async t => {
  const { app, owner, browser, change } = await setUp(t)
  t.equal((await browser.post('/api/auth/email', { email: 'x@example.org' })).statusCode, 403)
  t.equal((await createBrowser(app).post('/api/auth/email', { email: 'x@example.org' })).statusCode, 401)
  await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '11 minutes'")
  const refused = await change('x@example.org')
  t.equal(refused.statusCode, 403)
  t.match(refused.json(), { error: 'Confirm it is you', methods: ['password'] })
})

t.test('POST /api/auth/email: five mails an hour for each account and for each mailbox', async t => {
  const { smtp, owner, app, change } = await setUp(t)
  const settled = () => eventually(
    () => owner.query("SELECT FROM pgboss.job WHERE name = 'mail' AND state < 'completed'"),
    ({ rowCount }) => rowCount === 0
  )
  const linksTo = (reader: RegExp) => smtp.mails.filter(mail => reader.test(mail.reader) && mail.token).length
  for (let index = 0; index < 7; index++) {
    t.equal((await change(`stranger-${index}@example.org`)).statusCode, 202)
    // The mail of a newer request ends the links before it, also that of a mail which is being written.
    await settled()
  }
  t.equal(linksTo(/^stranger-/), 5)

  for (let index = 0; index < 7; index++) {
    const another = createBrowser(app)
    await another.signIn((await createUser(owner)).username)
    await change('victim@example.org', another)
  }
  await settled()
  t.equal(linksTo(/^victim@/), 5)
})
