import type { Browser } from './browser.ts'
import { secrets } from './build.ts'
import type { ReceivedMail, startSmtp } from './smtp.ts'

type Smtp = Awaited<ReturnType<typeof startSmtp>>

/** The settings of a service with sign-in by mail. */
export const WITH_MAIL = { MAIL_SIGN_IN: 'on' }

/** The code in a mail. The log must not have it; tests of it use the line of the mail, since six digits are short. */
export const codeIn = ({ text = '' }: Pick<ReceivedMail, 'text'>): string => text.match(/^(\d{6})$/m)?.[1] ?? ''

/** Another code than this. */
export const wrongCode = (code: string, by = 1): string => String((Number(code) + by) % 1_000_000).padStart(6, '0')

/** Asks for a mail and returns it with its code. */
export async function askForMail (browser: Browser, smtp: Smtp, email: string) {
  const answer = await browser.post('/login/mail', { email })
  if (answer.statusCode !== 202) throw new Error(`POST /login/mail: ${answer.statusCode} ${answer.body}`)
  const mail = await smtp.next()
  if (mail.token) secrets.add(mail.token)
  return { answer, mail, code: codeIn(mail), token: mail.token }
}

export const confirm = (browser: Browser, body: { code: string } | { token: string }) =>
  browser.post('/login/mail/confirm', body)
