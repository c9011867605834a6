/** Changes of how one signs in, of which the owner is told. */
export type FactorChange =
  | 'totp_added' | 'totp_removed' | 'recovery_codes_created' | 'recovery_code_used'
  | 'passkey_added' | 'passkey_removed' | 'password_added' | 'factors_reset' | 'operator_factors_reset'
  | 'provider_linked' | 'provider_removed'

/** What each mail needs to know. */
export interface MailValues {
  /** The code is for the browser that registered. Without one, the link alone confirms the address. */
  verify: { username: string, link: string, code?: string }
  reset: { username: string, link: string }
  /** The account was created by an operator. The link sets its password. */
  invite: { username: string, link: string }
  /** In place of `reset`, for an account that has no password. */
  'no-password': { username: string, link?: string }
  /** The code is for the browser that asked, the link for another device. */
  'sign-in': { username: string, link: string, code?: string }
  /** In place of `sign-in`, for an address without an account. */
  'sign-up': { link: string, code?: string }
  /** A signed-in user, who has nothing stronger, is to prove who they are. */
  'confirm-identity': { username: string, code?: string }
  'password-changed': { username: string }
  'breached-password': { username: string }
  /** An operator expired the password. */
  'password-expired': { username: string }
  'already-registered': { username: string, link?: string }
  /** To the new address. */
  'change-email': { username: string, link: string, code?: string }
  /** In place of `change-email`, for an address that another account has. */
  'address-taken': { username: string }
  /** To the former address. `email` is the new one, and the link restores the former one. */
  'email-changed': { username: string, email: string, link: string }
  /** To an address that an undo replaced, and in place of `email-changed` if its link has ended. */
  'email-displaced': { username: string }
  'email-restored': { username: string }
  'factors-changed': { username: string, change: FactorChange }
  'new-sign-in': { username: string, device: string, ip: string, at: string }
  /** In place of `new-sign-in`, for an account that has no password. */
  'new-sign-in-without-password': { username: string, device: string, ip: string, at: string }
  /** Cookies of a session that is bound to a device came without the key of the device. */
  'session-theft': { username: string, device: string, ip: string, at: string }
  /** In place of many alerts of one kind: how many more there were, and when the first and the last one. */
  'more-alerts': {
    username: string
    alert: 'password-changed' | 'factors-changed' | 'new-sign-in' | 'session-theft'
    change?: FactorChange
    count: number
    from: string | Date
    until: string | Date
  }
}

export type MailName = keyof MailValues

/** Where the button of a mail leads, if not to a link that is made for it. */
export const BUTTON_PATHS: Partial<Record<MailName, string>> = {
  'no-password': '/login',
  'confirm-identity': '/dashboard',
  'password-changed': '/reset-password',
  'breached-password': '/reset-password',
  'password-expired': '/reset-password',
  'already-registered': '/login',
  'address-taken': '/dashboard',
  'email-displaced': '/login',
  'email-restored': '/reset-password',
  'factors-changed': '/dashboard',
  'new-sign-in': '/reset-password',
  'new-sign-in-without-password': '/dashboard',
  'session-theft': '/dashboard',
  'more-alerts': '/dashboard',
}

const username = 'anna'
const link = 'https://auth.example.com/verify-email#token=example'
const code = '204863'
const signIn = { username, device: 'Firefox on Linux', ip: '192.0.2.1', at: '2026-03-04T05:06:07.000Z' }

/** Each mail, to try out templates. */
const MAILS: { [Name in MailName]: MailValues[Name] } = {
  verify: { username, link, code },
  reset: { username, link },
  invite: { username, link },
  'no-password': { username },
  'sign-in': { username, link, code },
  'sign-up': { link, code },
  'confirm-identity': { username, code },
  'password-changed': { username },
  'breached-password': { username },
  'password-expired': { username },
  'already-registered': { username },
  'change-email': { username, link, code },
  'address-taken': { username },
  'email-changed': { username, link, email: 'anna@example.org' },
  'email-displaced': { username },
  'email-restored': { username },
  'factors-changed': { username, change: 'totp_added' },
  'new-sign-in': signIn,
  'new-sign-in-without-password': signIn,
  'session-theft': signIn,
  'more-alerts': { username, alert: 'new-sign-in', count: 134, from: signIn.at, until: '2026-03-04T06:05:04.000Z' },
}

export const SAMPLE_MAILS = Object.entries(MAILS) as Array<[MailName, MailValues[MailName]]>
