import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { MailMessage } from '../../../plugins/mail/mail-composer.ts'
import { buildShared, type pg } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { shareSmtp } from '../../support/smtp.ts'

const PUBLIC_URL = 'https://auth.example.com'

let mailboxes = 0

/** `logged`: what the service has logged since. The user Anna has a mailbox of her own in each test: it has a limit. */
async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const { app, owner, log } = await buildShared(t, {
    settings: { SMTP_URL: smtp.url, PUBLIC_URL, MAIL_FROM: 'Gatehouse <no-reply@example.com>' },
  })
  const begin = log.text.length
  const username = `anna${++mailboxes}`
  const email = `${username}@example.com`
  return {
    app,
    owner,
    smtp,
    logged: () => log.text.slice(begin),
    loggedLines: () => log.text.slice(begin).split('\n').filter(Boolean).map(line => JSON.parse(line)),
    anna: { username, email: `A${email.slice(1)}` },
    email,
    verify: { kind: 'verify', email } satisfies MailMessage,
    reset: { kind: 'reset', email } satisfies MailMessage,
  }
}

async function addUser (owner: pg.Pool, fields: Record<string, unknown>): Promise<string> {
  const user = { password_hash: 'hash', email_verified_at: new Date(), ...fields }
  const names = Object.keys(user)
  const { rows } = await owner.query(
    `INSERT INTO users (${names}) VALUES (${names.map((_, index) => `$${index + 1}`)}) RETURNING id`,
    Object.values(user)
  )
  return rows[0].id
}

const queue = (app: FastifyInstance, ...messages: MailMessage[]) =>
  app.database.transact(async client => {
    for (const message of messages) await app.mail.queue(client, message)
  })

const drained = (owner: pg.Pool) =>
  eventually(
    () => owner.query("SELECT FROM pgboss.job WHERE name = 'mail' AND state < 'completed'"),
    ({ rowCount }) => rowCount === 0
  )

t.test('verify: sent after the commit, with a working link whose token is stored nowhere', async t => {
  const { app, owner, smtp, logged, anna, email } = await setUp(t)
  const id = await addUser(owner, { ...anna, email_verified_at: null })
  const began = performance.now()
  await queue(app, { kind: 'verify', email: email.toUpperCase() })
  const mail = await smtp.next()
  t.comment(`${Math.round(performance.now() - began)} ms`)

  t.equal(mail.reader, anna.email)
  t.match(mail, {
    from: { name: 'Gatehouse', address: 'no-reply@example.com' },
    to: [{ address: anna.email }],
    messageId: /@auth\.example\.com>$/,
  })
  t.match(
    mail.headers.find(({ key }) => key === 'auto-submitted'),
    { value: 'auto-generated' }
  )
  t.match(mail.text, `“${anna.username}”`)
  for (const form of [mail.text, mail.html]) t.match(form, `${PUBLIC_URL}/verify-email#token=${mail.token}`)

  await drained(owner)
  const { rows } = await owner.query(`
    SELECT job::text AS row FROM pgboss.job WHERE name = 'mail'
    UNION ALL SELECT one_time_tokens::text FROM one_time_tokens WHERE kind = 'verify'`)
  t.equal(rows.length, 2)
  for (const { row } of rows) t.notOk(row.includes(mail.token))
  t.notOk(logged().includes(mail.token))
  t.equal(await app.oneTimeTokens.consume(app.database, mail.token, 'verify'), id)
})

t.test('a rolled-back transaction sends no mail', async t => {
  const { app, owner, smtp, anna, verify, reset } = await setUp(t)
  await addUser(owner, { ...anna, email_verified_at: null })
  await t.rejects(
    app.database.transact(async client => {
      await app.mail.queue(client, verify)
      throw new Error('changed my mind')
    }),
    { message: 'changed my mind' }
  )
  await queue(app, reset)
  t.match(await smtp.next(), { subject: /new password/ })
  await drained(owner)
  t.equal(smtp.mails.length, 1)
})

t.test('no mail to unknown addresses, disabled accounts, or verified addresses', async t => {
  const { app, owner, smtp } = await setUp(t)
  await addUser(owner, { email: 'disabled@example.com', username: 'disabled', disabled_at: new Date() })
  await addUser(owner, { email: 'verified@example.com', username: 'verified' })
  for (const kind of ['verify', 'reset', 'password-changed', 'already-registered'] as const) {
    const to = (email: string) => ({ kind, email }) as MailMessage
    await queue(app, to('nobody@example.com'), to('disabled@example.com'))
  }
  await queue(app, { kind: 'verify', email: 'verified@example.com' })
  await drained(owner)
  t.equal((await owner.query("SELECT FROM pgboss.job WHERE name = 'mail'")).rowCount, 9)
  t.equal(smtp.mails.length, 0)
  t.equal((await owner.query('SELECT FROM one_time_tokens')).rowCount, 0)
})

t.test('reset: only the last link works; without a password, a mail that says so', async t => {
  const { app, owner, smtp, anna, reset } = await setUp(t)
  const id = await addUser(owner, anna)
  await addUser(owner, {
    email: 'social@example.com',
    username: 'social',
    password_hash: null,
    provider_a_id: '1',
    provider: 'provider_a',
  })

  await queue(app, reset)
  const mail = await smtp.next()
  t.match(mail.text, `${PUBLIC_URL}/reset-password#token=${mail.token}`)
  t.equal(await app.oneTimeTokens.consume(app.database, mail.token, 'reset'), id)

  await queue(app, reset, reset, reset)
  const [first, second, last] = [await smtp.next(), await smtp.next(), await smtp.next()]
  for (const { token } of [first, second]) t.notOk(await app.oneTimeTokens.peek(token, 'reset'))
  t.equal(await app.oneTimeTokens.peek(last.token, 'reset'), id)

  await queue(app, { kind: 'reset', email: 'social@example.com' })
  t.match(await smtp.next(), {
    reader: 'social@example.com',
    subject: 'Your Gatehouse account has no password',
    token: '',
  })
})

t.test('password-changed, already-registered, new-sign-in', async t => {
  const { app, owner, smtp, anna, email } = await setUp(t)
  await addUser(owner, anna)
  await queue(app, { kind: 'password-changed', email })
  t.match(await smtp.next(), { subject: 'Your Gatehouse password was changed', token: '' })
  await queue(app, { kind: 'already-registered', email })
  t.match(await smtp.next(), { subject: 'You already have a Gatehouse account', token: '' })
  await queue(app, {
    kind: 'new-sign-in',
    email,
    ip: '192.0.2.7',
    device: 'Firefox on Linux',
    at: '2026-03-04T05:06:07.000Z',
  })
  t.match(await smtp.next(), {
    subject: 'New sign-in to your Gatehouse account',
    text: /Firefox on Linux[^]+192\.0\.2\.7[^]+4 March 2026 at 05:06 UTC/,
  })
})

t.test('five mails of a kind an hour for a mailbox; security notices are not dropped, retries not counted', async t => {
  const { app, owner, smtp, loggedLines, anna, email, reset } = await setUp(t)
  await addUser(owner, anna)
  await addUser(owner, { email: 'ben@example.com', username: 'ben' })

  smtp.refuse(1, 451)
  await queue(app, reset)
  await smtp.next()
  for (const form of [email, email.toUpperCase(), anna.email, email.replace('nn', 'NN')]) {
    await queue(app, { ...reset, email: form })
  }
  await drained(owner)
  t.equal(smtp.mails.length, 5)
  const last = smtp.mails.findLast(({ text }) => text?.includes('/reset-password#'))

  await queue(app, reset, reset)
  await drained(owner)
  t.equal(smtp.mails.length, 5)
  t.strictSame(
    loggedLines()
      .filter(({ msg }) => msg.startsWith('mail dropped'))
      .map(({ mail }) => mail),
    ['reset', 'reset']
  )
  t.ok(await app.oneTimeTokens.peek(last?.token ?? '', 'reset'), 'a dropped mail invalidates no link')

  await queue(app, { kind: 'already-registered', email }, { kind: 'password-changed', email })
  await queue(app, { ...reset, email: 'ben@example.com' })
  await drained(owner)
  t.strictSame(
    smtp.mails
      .slice(5)
      .map(({ reader }) => reader)
      .sort(),
    [anna.email, anna.email, 'ben@example.com']
  )

  const alarms = Array.from({ length: 7 }, (): MailMessage => ({ kind: 'email-restored', email: 'ben@example.com' }))
  await queue(app, ...alarms)
  await drained(owner)
  t.equal(smtp.mails.length, 15)
})

t.test('POST /register with the address of another user, five times: a password reset is still sent', async t => {
  const { app, owner, smtp, anna, email } = await setUp(t)
  await addUser(owner, anna)
  const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload })
  for (let count = 0; count < 6; count++) {
    const account = { username: `flood${count}`, email, password: 'gl4ss-Harmonica-7!' }
    const register = async () => (await post('/register', account)).statusCode
    // On a busy machine the password may wait too long to be rated (503).
    t.equal(await eventually(register, status => status !== 503), 202)
  }
  t.equal((await post('/reset-password', { email })).statusCode, 202)
  await drained(owner)
  const sent = (subject: RegExp) => smtp.mails.filter(mail => subject.test(mail.subject ?? '')).length
  t.equal(sent(/already have/), 5, 'of the flood')
  t.equal(sent(/new password/), 1)
})

t.test('mail server down, then up: each mail arrives once', async t => {
  const { app, owner, smtp, loggedLines, anna, email, reset } = await setUp(t)
  await addUser(owner, anna)
  await addUser(owner, { email: 'ben@example.com', username: 'ben' })
  await queue(app, { kind: 'password-changed', email })
  await smtp.next()

  await smtp.stop()
  await queue(app, reset, { ...reset, email: 'ben@example.com' })
  await eventually(() => loggedLines().filter(({ msg }) => msg === 'a job failed').length, count => count >= 2)
  await smtp.start()
  await Promise.all([smtp.next(), smtp.next()])
  await drained(owner)
  t.strictSame(
    smtp.mails
      .slice(1)
      .map(({ reader }) => reader)
      .sort(),
    [anna.email, 'ben@example.com']
  )
})

t.test('refused temporarily (451): retried, with the same Message-ID unless the link is new', async t => {
  const { app, owner, smtp, anna, email, reset } = await setUp(t)
  await addUser(owner, anna)
  await addUser(owner, { username: 'ben', email: 'ben@example.com', email_verified_at: null })
  smtp.refuse(3, 451, mail => `greylisted: ${mail.replaceAll('\n', ' ')}`)
  await queue(app, reset, { kind: 'password-changed', email }, { kind: 'invite', email: 'ben@example.com' })
  const mails = [await smtp.next(), await smtp.next(), await smtp.next()]
  const {
    rows: [linked, plain, invitation],
  } = await owner.query(
    "SELECT id, data ->> 'kind' FROM pgboss.job WHERE name = 'mail' ORDER BY data ->> 'kind' DESC"
  )
  t.strictSame(
    mails.map(({ messageId }) => messageId).sort(),
    [
      `<${linked.id}.1@auth.example.com>`,
      `<${plain.id}@auth.example.com>`,
      `<${invitation.id}.1@auth.example.com>`,
    ].sort()
  )
  for (const { token } of mails) if (token) t.ok(await app.oneTimeTokens.peek(token, 'reset'))
})

t.test('refused permanently (550): not retried, the response is neither logged nor stored', async t => {
  const { app, owner, smtp, logged, loggedLines, anna, reset } = await setUp(t)
  await addUser(owner, anna)
  smtp.refuse(1, 550, mail => `looks like spam: ${mail.match(/https:\S+#\S+/)}`)
  await queue(app, reset)
  await eventually(logged, text => text.includes('mail refused permanently'))
  await drained(owner)
  t.match(
    loggedLines().find(({ msg }) => msg === 'mail refused permanently'),
    { err: { message: 'the mail server did not accept the mail: EMESSAGE 550 at DATA' } }
  )
  t.notMatch(logged(), 'spam')
  t.equal((await owner.query("SELECT FROM pgboss.job WHERE job::text LIKE '%spam%'")).rowCount, 0)
  await sleep(100)
  t.equal(smtp.mails.length, 0)
})

t.test('without SMTP_URL: a log line for each mail, no link is created', async t => {
  const { app, owner, log } = await buildShared(t)
  await addUser(owner, { email: 'anna@example.com', username: 'anna' })
  await queue(app, { kind: 'reset', email: 'anna@example.com' })
  await drained(owner)
  t.match(
    log.lines.find(({ mail }) => mail),
    { level: 'warn', mail: 'reset', msg: 'mail not sent: SMTP_URL is not set' }
  )
  t.equal((await owner.query('SELECT FROM one_time_tokens')).rowCount, 0)
})
