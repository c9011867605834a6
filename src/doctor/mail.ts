import type { Config } from '../config.ts'
import { createMailTransport } from '../mail/transport.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { about, type Finding } from './finding.ts'

const { ok, warning, problem } = about('mail')

/** As far as signing in to the mail server: nothing is sent. */
export async function checkMail ({ SMTP_URL, MAIL_FROM, NODE_ENV }: Config): Promise<Finding[]> {
  if (!SMTP_URL) return [warning('SMTP_URL is not set: no mail goes out.', 'Set it to your mail server, or nobody can confirm an address or reset a password.')]
  const transport = createMailTransport(SMTP_URL)
  try {
    await transport.verify()
    return [NODE_ENV === 'production' && MAIL_FROM.includes('@localhost')
      ? warning(`the mail server lets us in, and mails come from ${MAIL_FROM}.`, 'Set MAIL_FROM to an address of yours: mailboxes refuse this one.')
      : ok(`the mail server lets us in; mails come from ${MAIL_FROM}.`)]
  } catch (error) {
    return [problem(`the mail server does not let us in: ${reasonOf(error)}.`, 'Check the host, the port, the user and the password in SMTP_URL. Mails wait for four hours.')]
  } finally {
    transport.close()
  }
}
