// Many alerts to one mailbox become a few and a summary, and delay nobody else's mails.
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { MailMessage } from '../../../plugins/mail/mail-composer.ts'
import { digest } from '../../../src/secrets/digest.ts'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, createDatabase, type pg } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { startSmtp } from '../../support/smtp.ts'

async function setUp (t: Test) {
  const smtp = await startSmtp(t)
  const database = await createDatabase(t)
  const settings = { ...NO_LIMITS, ...database.settings, SMTP_URL: smtp.url, PUBLIC_URL: 'https://auth.example.com' }
  const start = () => build(t, { settings })
  return { smtp, owner: database.owner, start }
}

const queue = (app: FastifyInstance, messages: MailMessage[]) =>
  app.database.transact(async client => {
    for (const message of messages) await app.mail.queue(client, message)
  })

const drained = (owner: pg.Pool) => eventually(
  () => owner.query("SELECT FROM pgboss.job WHERE name = 'mail' AND state < 'completed'"),
  ({ rowCount }) => rowCount === 0
)

/** As if the alerts that were counted had come so much earlier. */
const age = (owner: pg.Pool, interval: string) => owner.query(
  `UPDATE mail_alerts SET began_at = began_at - $1::interval, held_from = held_from - $1::interval,
    held_until = held_until - $1::interval`, [interval])

const alertsTo = (email: string, count: number) =>
  Array.from({ length: count }, (): MailMessage => ({ kind: 'email-restored', email }))

t.test('140 sign-ins without the device cookie: three alerts, and one summary, also after a restart', async t => {
  const { smtp, owner, start } = await setUp(t)
  const { app } = await start()
  const user = await createUser(owner)
  const signIns = Array.from({ length: 141 }, () => () => createBrowser(app).signIn(user.username))
  const isFirst = (await signIns.pop()?.())?.statusCode
  t.equal(isFirst, 200, 'no alert for the first one')
  while (signIns.length > 0) await Promise.all(signIns.splice(0, 10).map(signIn => signIn()))
  await app.queueAlarms()
  await drained(owner)
  t.strictSame(smtp.mails.map(({ subject }) => subject), Array(3).fill('New sign-in to your Gatehouse account'))

  await app.alertSummaries.run()
  await drained(owner)
  t.equal(smtp.mails.length, 3, 'the hour is not over')
  await app.close()
  await age(owner, '61 minutes')
  const { app: next } = await start()
  await Promise.all([next.alertSummaries.run(), next.alertSummaries.run()])
  await drained(owner)
  t.equal(smtp.mails.length, 4)
  t.match(smtp.mails[3], {
    reader: user.email,
    subject: 'More alerts about your Gatehouse account: 137',
    text: /New sign-in to your Gatehouse account[^]+137[^]+UTC[^]+UTC/,
  })

  await createBrowser(next).signIn(user.username)
  await next.queueAlarms()
  await drained(owner)
  t.match(smtp.mails.slice(4), [{ subject: 'New sign-in to your Gatehouse account' }], 'a new hour')
})

t.test('alerts: each kind and each change counts for itself; with three in an hour there is no summary', async t => {
  const { smtp, owner, start } = await setUp(t)
  const { app } = await start()
  const { email } = await createUser(owner)
  const changed = (change: 'totp_removed' | 'passkey_added'): MailMessage =>
    ({ kind: 'factors-changed', email, change })
  await queue(app, [...Array.from({ length: 5 }, () => changed('passkey_added')), changed('totp_removed')])
  await queue(app, [{ kind: 'password-changed', email }])
  await drained(owner)
  const said = (words: RegExp) => smtp.mails.filter(({ text }) => words.test(text ?? '')).length
  t.strictSame([/passkey was added/, /app was removed/, /password of your account/].map(said), [3, 1, 1])

  await age(owner, '61 minutes')
  await app.alertSummaries.run()
  await drained(owner)
  t.match(smtp.mails.slice(5), [{ subject: /: 2$/, text: /A passkey was added to your account/ }])
  t.equal((await owner.query('SELECT FROM mail_alerts')).rowCount, 0)
})

t.test('alerts: the summary goes to the mailbox that got the first ones, even if the address changed', async t => {
  const { smtp, owner, start } = await setUp(t)
  const { app } = await start()
  const { id, email } = await createUser(owner)
  await queue(app, Array.from({ length: 4 }, () => ({ kind: 'password-changed', email })))
  await drained(owner)
  await owner.query("UPDATE users SET email = 'thief@example.com' WHERE id = $1", [id])
  await age(owner, '61 minutes')
  await app.alertSummaries.run()
  await drained(owner)
  t.match(smtp.mails.slice(3), [{ reader: email, subject: /: 1$/ }])
})

t.test('a summary in the form of version 0.2 is an alert; its jobs without a priority are sent', async t => {
  const { smtp, owner, start } = await setUp(t)
  const { app } = await start()
  const { email } = await createUser(owner)
  await queue(app, Array.from({ length: 4 }, (): MailMessage =>
    ({ kind: 'new-sign-in', email, ip: '192.0.2.1', device: 'Firefox on Linux', at: '2026-03-04T05:06:07.000Z' })))
  await drained(owner)
  await age(owner, '61 minutes')
  await app.alertSummaries.run()
  await drained(owner)
  const { rows: [summary] } = await owner.query("SELECT data FROM pgboss.job WHERE data ? 'more'")
  // Version 0.2 reads these fields of a mail, and no others.
  t.match(summary.data, { kind: 'new-sign-in', email, ip: '192.0.2.1', device: 'Firefox on Linux', at: /^2026/ })

  const sent = smtp.mails.length
  await owner.query(`INSERT INTO pgboss.job (name, data, group_id, retry_limit)
    VALUES ('mail', $1, $2, 60)`, [{ kind: 'reset', email }, email])
  await drained(owner)
  t.match(smtp.mails.slice(sent), [{ subject: /new password/ }])
})

t.test('a password reset arrives before the alerts of another mailbox that wait', async t => {
  const { smtp, owner, start } = await setUp(t)
  const { app } = await start()
  const [flooded, waiting] = [await createUser(owner), await createUser(owner)]
  smtp.stall()
  await queue(app, alertsTo(flooded.email, 40))
  await eventually(() => owner.query("SELECT FROM pgboss.job WHERE state = 'active'"), r => r.rowCount !== 0)
  await queue(app, [{ kind: 'reset', email: waiting.email }])
  smtp.goOn()
  await drained(owner)
  t.equal(smtp.mails.length, 41)
  const place = smtp.mails.findIndex(({ reader }) => reader === waiting.email)
  // After those that were being sent, and far ahead of the others.
  t.ok(place <= 12, `number ${place + 1}`)
})

t.test('two mailboxes are served in turn, whatever one of them has waiting', async t => {
  const { smtp, owner, start } = await setUp(t)
  const { app } = await start()
  const [flooded, other] = [await createUser(owner), await createUser(owner)]
  smtp.stall()
  await queue(app, alertsTo(flooded.email, 60))
  await queue(app, alertsTo(other.email, 5))
  smtp.goOn()
  await drained(owner)
  const last = smtp.mails.findLastIndex(({ reader }) => reader === other.email)
  t.equal(smtp.mails.length, 65)
  t.ok(last < 40, `number ${last + 1}, behind 60`)
})

t.test('the code that someone waits for to sign in goes first of all', async t => {
  const { smtp, owner, start } = await setUp(t)
  const [busy, waiting] = [await createUser(owner), await createUser(owner)]
  const { app } = await start()
  smtp.stall()
  // The workers are busy, so that the others wait in the queue.
  const others = await Promise.all(Array.from({ length: 40 }, () => createUser(owner)))
  await queue(app, others.slice(0, 20).map(({ email }) => ({ kind: 'email-restored', email })))
  await eventually(
    () => owner.query("SELECT FROM pgboss.job WHERE name = 'mail' AND state = 'active'"),
    ({ rowCount }) => rowCount === 20
  )
  await queue(app, alertsTo(busy.email, 1))
  await queue(app, others.slice(20).map(({ email }) => ({ kind: 'reset', email })))
  const askedBy = digest('a browser')
  await app.mailCodes.begin(app.database, { purpose: 'sign-in', email: waiting.email, askedBy })
  await queue(app, [{ kind: 'sign-in', email: waiting.email, askedBy: askedBy.toString('base64url') }])
  const { rows } = await owner.query(
    "SELECT data->>'kind' AS kind FROM pgboss.job WHERE name = 'mail' AND state = 'created' ORDER BY priority DESC, id")
  t.equal(rows[0]?.kind, 'sign-in', `of ${rows.length} that wait`)
  smtp.goOn()
  await drained(owner)
  const after = smtp.mails.slice(20).findIndex(({ reader }) => reader === waiting.email)
  t.ok(after >= 0 && after < 10, `among the first that were sent afterwards: ${after}`)
})
