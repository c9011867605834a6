// Requests for sign-in mails that come while the mail before is written.
import t from 'tap'
import { createBrowser, NO_LIMITS } from '../support/browser.ts'
import { buildShared } from '../support/build.ts'
import { allSent, holdMail } from '../support/held-mails.ts'
import { codeIn, confirm, WITH_MAIL } from '../support/mail-sign-in.ts'
import { eventually } from '../support/patience.ts'
import { shareSmtp } from '../support/smtp.ts'

t.test('a code that was sent to the own mailbox does not prove the address that the browser asks for next', async t => {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url } })
  const attacker = createBrowser(app)
  const held = await holdMail(owner, smtp, () => attacker.post('/login/mail', { email: 'own@example.org' }))
  const { rows: [{ askedBy }] } = await owner.query(
    "SELECT asked_by AS \"askedBy\" FROM mail_codes WHERE email = 'own@example.org'")

  // The next request, for the address of another person, commits after the mail has found its row.
  const next = await owner.connect()
  try {
    await next.query('BEGIN')
    await app.mailCodes.begin(next, { purpose: 'sign-in', email: 'victim@example.org', askedBy })
    const released = held.release()
    const isWaiting = () => owner.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE mail_codes SET%'")
    await eventually(isWaiting, ({ rowCount }) => rowCount === 1)
    await next.query('COMMIT')
    await released
  } finally {
    next.release()
  }
  await allSent(owner)

  const mail = smtp.mails.findLast(({ reader }) => reader === 'own@example.org')
  for (const proof of [{ code: codeIn(mail ?? { text: '' }) || '000000' }, { token: mail?.token ?? 'none' }]) {
    const answer = await confirm(attacker, proof)
    t.notOk(answer.json().register, answer.body)
  }
  t.notOk(mail, 'a newer request took its place')
})
