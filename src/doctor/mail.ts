import type { Config } from '../config.ts'
import { createMailTransport } from '../mail/transport.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { findingsFor, type Finding } from './finding.ts'

const { ok, warning, problem } = findingsFor('mail')

/** Logs in to the mail server without sending a mail. */
export async function checkMail ({ SMTP_URL, MAIL_FROM, NODE_ENV }: Config): Promise<Finding[]> {
  if (!SMTP_URL) {
    return [warning(
      'SMTP_URL is not set: no mail is sent.',
      'Set SMTP_URL. Without mail, users cannot confirm their email address or reset their password.'
    )]
  }
  const transport = await createMailTransport(SMTP_URL)
  try {
    await transport.verify()
    const found = `SMTP login succeeded. Mails are sent from ${MAIL_FROM}.`
    return [NODE_ENV === 'production' && MAIL_FROM.includes('@localhost')
      ? warning(found, 'Set MAIL_FROM to an address of your domain: mail servers reject mails from localhost.')
      : ok(found)]
  } catch (error) {
    return [problem(
      `Cannot log in to the mail server: ${reasonOf(error)}.`,
      'Check the host, port, user and password in SMTP_URL. Queued mails are retried for four hours.'
    )]
  } finally {
    transport.close()
  }
}
