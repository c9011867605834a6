import t, { type Test } from 'tap'
import type { User } from '../../../plugins/records/accounts/users.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../../support/browser.ts'
import { buildShared, secrets } from '../../support/build.ts'
import { allSent, holdMail } from '../../support/held-mails.ts'
import { eventually } from '../../support/patience.ts'
import { shareSmtp } from '../../support/smtp.ts'

const NEW_PASSWORD = 'gl4ss-Harmonica-7!'
secrets.add(NEW_PASSWORD)

/** `owner` is the connection to the database, `browser` that of the user, `thief` one with a stolen session. */
async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } })
  const user = await createUser(owner)
  const [browser, thief] = [createBrowser(app), createBrowser(app)]
  for (const each of [browser, thief]) await each.signIn(user.username)

  const mailsTo = (reader: string) => smtp.mails.filter(mail => mail.reader === reader)
  const open = async (way: 'change' | 'undo', token: string) =>
    (await createBrowser(app).post(`/verify-email/${way}`, { token })).statusCode
  async function mailTo (reader: string, words: RegExp) {
    const find = () => mailsTo(reader).findLast(({ text }) => words.test(text ?? ''))
    return await eventually(find, found => found !== undefined) as NonNullable<ReturnType<typeof find>>
  }
  async function request (email: string, from: Browser = thief): Promise<string> {
    t.equal((await from.guarded('POST', '/api/auth/email', { email })).statusCode, 202)
    return (await mailTo(email, /#token=/)).token
  }

  return {
    smtp,
    app,
    owner,
    user,
    browser,
    thief,
    mailsTo,
    mailTo,
    open,
    /** Returns the token of the link. */
    request,
    /** The account moves to another address. Returns the token that restores the former one. */
    async move (from: string, to: string): Promise<string> {
      t.equal(await open('change', await request(to)), 204)
      return (await mailTo(from, /was changed to/)).token
    },
    emailOf: async () => (await owner.query('SELECT email FROM users WHERE id = $1', [user.id])).rows[0]?.email,
    account: async () => await app.users.findById(user.id) as User,
    /** Each mailbox has a limit of its own. */
    address: (name: string) => `${name}.${user.username}@example.org`,
  }
}

type Service = Awaited<ReturnType<typeof setUp>>

const changePassword = (from: Browser) =>
  from.guarded('POST', '/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD })

const ENDINGS: Array<[name: string, end: (service: Service) => Promise<unknown>]> = [
  ['the owner ends all other sessions', ({ browser }) => browser.guarded('DELETE', '/api/auth/sessions')],
  ['the session signs out', ({ thief }) => thief.post('/logout')],
  ['the owner changes the password', ({ browser }) => changePassword(browser)],
  ['the password is changed in the same session', ({ thief }) => changePassword(thief)],
  ['the owner resets the password', async ({ app, user, browser }) =>
    browser.post('/reset-password/confirm', {
      token: await app.oneTimeTokens.issue(user.id, 'reset'),
      password: NEW_PASSWORD,
    })],
  ['an operator ends all sessions', async ({ app, account }) => app.administration.endSessions(await account())],
  ['an operator disables the account and enables it again', async ({ app, account }) => {
    await app.administration.disable(await account())
    await app.administration.enable(await account())
  }],
  ['the address is another one, whatever changed it', ({ owner, user }) =>
    owner.query("UPDATE users SET email = 'moved-' || email WHERE id = $1", [user.id])],
  ['the password is another one, whatever changed it', ({ owner, user }) =>
    owner.query("UPDATE users SET password_hash = 'another' WHERE id = $1", [user.id])],
]

for (const [name, end] of ENDINGS) {
  t.test(`a requested change ends: ${name}`, async t => {
    const [service, late] = [await setUp(t), await setUp(t)]
    const token = await service.request(service.address('thief'))
    const lateAddress = late.address('thief')
    const held = await holdMail(late.owner, late.smtp, () =>
      late.thief.guarded('POST', '/api/auth/email', { email: lateAddress }))
    await end(service)
    await end(late)

    const email = await service.emailOf()
    t.equal(await service.open('change', token), 400, 'its link')
    t.equal(await service.emailOf(), email)
    await held.release()
    t.strictSame(late.mailsTo(lateAddress), [], 'a mail that is tried again')
  })
}

t.test('a requested change goes on with its session, also if the mail is late', async t => {
  const { smtp, owner, browser, thief, address, mailTo, open, emailOf } = await setUp(t)
  const email = address('late')
  const held = await holdMail(owner, smtp, () => browser.guarded('POST', '/api/auth/email', { email }))
  await browser.refresh()
  await thief.post('/logout')
  await owner.query("UPDATE one_time_tokens SET expires_at = now() - interval '1 minute'")
  await held.release()
  t.equal(await open('change', (await mailTo(email, /Until then/)).token), 204, 'the link is as new as its mail')
  t.equal(await emailOf(), email)
})

t.test('a mail that is repeated has the same link', async t => {
  const { smtp, owner, address, request } = await setUp(t)
  const seen: Array<string | undefined> = []
  await allSent(owner)
  smtp.refuse(1, 451, mail => String(seen.push(mail.match(/#token=([\w-]+)/)?.[1])))
  const token = await request(address('new'))
  t.strictSame(seen, [token])
})

t.test('a new request replaces the one before', async t => {
  const { address, request, open } = await setUp(t)
  const [first, second] = [await request(address('first')), await request(address('second'))]
  t.equal(await open('change', first), 400)
  t.equal(await open('change', second), 204)
})

t.test('a change that was requested at an instance of version 0.2: no mail, and its link is refused', async t => {
  const { app, owner, user, address, mailsTo, open } = await setUp(t)
  const email = address('old')
  await app.mail.queue(app.database, { kind: 'change-email', email, userId: user.id })
  await owner.query(`
    INSERT INTO one_time_tokens (user_id, kind, token, expires_at, email)
    VALUES ($1, 'change_email', sha256('token-of-0.2'), now() + interval '1 hour', $2)`, [user.id, email])
  t.equal(await open('change', 'token-of-0.2'), 400)
  await allSent(owner)
  t.strictSame(mailsTo(email), [])
})

t.test('an undo: a late mail to the address of a thief brings no link that takes the account back', async t => {
  const { smtp, owner, user, address, request, move, open, mailTo, emailOf } = await setUp(t)
  const [b, c] = [address('b'), address('c')]
  const back = await move(user.email, b)
  const token = await request(c)
  const held = await holdMail(owner, smtp, () => open('change', token))
  t.equal(await emailOf(), c)
  t.equal(await open('undo', back), 204)

  await held.release()
  t.equal((await mailTo(b, /no longer the email address of the account/)).token, '', 'it is told nevertheless')
  const { rowCount } = await owner.query("SELECT FROM one_time_tokens WHERE kind = 'undo_email' AND used_at IS NULL")
  t.equal(rowCount, 0)
  t.equal(await emailOf(), user.email)
})

t.test('an undo ends all others of the account, also an earlier one', async t => {
  const { user, address, move, open, emailOf } = await setUp(t)
  const [b, c] = [address('b'), address('c')]
  const [toA, toB] = [await move(user.email, b), await move(b, c)]
  t.equal(await open('undo', toB), 204)
  t.equal(await open('undo', toA), 400)
  t.equal(await emailOf(), b)
})

t.test('an undo: the address that it replaces is told, and cannot undo it', async t => {
  const { owner, user, address, move, open, mailTo, mailsTo } = await setUp(t)
  t.equal(await open('undo', await move(user.email, address('b'))), 204)
  t.equal((await mailTo(address('b'), /no longer the email address of the account/)).token, '')
  await allSent(owner)
  t.strictSame(mailsTo(user.email).filter(({ text }) => text?.includes('no longer')), [])
})

t.test('a change that an instance of version 0.2 made: its mail has a link, unless a change was undone', async t => {
  const { app, owner, user, address, move, mailTo, open, emailOf } = await setUp(t)
  const queue = (email: string) => app.mail.queue(app.database, { kind: 'email-changed', email, userId: user.id })
  const [b, c] = [address('b'), address('c')]
  await owner.query('UPDATE users SET email = $2 WHERE id = $1', [user.id, b])
  await queue(user.email)
  const back = (await mailTo(user.email, /was changed to/)).token
  await move(b, c)
  t.equal(await open('undo', back), 204)
  t.equal(await emailOf(), user.email)
  await queue(address('late'))
  t.equal((await mailTo(address('late'), /no longer the email address/)).token, '')
})

t.test('an address that was never proved is not told of a change, and cannot undo it', async t => {
  const { owner, user, address, request, open, mailsTo } = await setUp(t)
  await allSent(owner)
  const before = mailsTo(user.email).length
  await owner.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [user.id])
  t.equal(await open('change', await request(address('b'))), 204)
  await allSent(owner)
  t.equal(mailsTo(user.email).length, before)
  t.equal((await owner.query("SELECT FROM one_time_tokens WHERE kind = 'undo_email'")).rowCount, 0)
})
