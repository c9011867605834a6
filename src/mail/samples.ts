import type { MailName, MailValues } from './values.ts'

const username = 'anna'
const link = 'https://auth.example.com/verify-email#token=example'
const signIn = { username, device: 'Firefox on Linux', ip: '192.0.2.1', at: '2026-03-04T05:06:07.000Z' }

/** Each mail, to try out templates. */
const MAILS: { [Name in MailName]: MailValues[Name] } = {
  verify: { username, link },
  reset: { username, link },
  invite: { username, link },
  'no-password': { username },
  'password-changed': { username },
  'breached-password': { username },
  'already-registered': { username },
  'change-email': { username, link },
  'address-taken': { username },
  'email-changed': { username, link, email: 'anna@example.org' },
  'email-restored': { username },
  'factors-changed': { username, change: 'totp_added' },
  'new-sign-in': signIn,
  'new-sign-in-without-password': signIn,
}

export const SAMPLE_MAILS = Object.entries(MAILS) as Array<[MailName, MailValues[MailName]]>
