import { join } from 'node:path'
import { loadTemplates } from '../pages/templates.ts'

/** The name of the service, and its address for browsers. */
export interface Sender { brand: string, url: string }

/** Changes of how one signs in, of which the owner is told. */
export type FactorChange =
  | 'totp_added' | 'totp_removed' | 'recovery_codes_created' | 'recovery_code_used'
  | 'passkey_added' | 'passkey_removed' | 'password_added' | 'factors_reset'

export interface Mail { subject: string, text: string, html: string }

/** What each mail needs to know. */
export interface MailValues {
  verify: { username: string, link: string }
  reset: { username: string, link: string }
  /** In place of `reset`, for an account that has no password. */
  'no-password': { username: string }
  'password-changed': { username: string }
  'breached-password': { username: string }
  'already-registered': { username: string }
  /** To the new address. */
  'change-email': { username: string, link: string }
  /** In place of `change-email`, for an address that another account has. */
  'address-taken': { username: string }
  /** To the former address. `email` is the new one, and the link restores the former one. */
  'email-changed': { username: string, email: string, link: string }
  'email-restored': { username: string }
  'factors-changed': { username: string, change: FactorChange }
  'new-sign-in': { username: string, hasPassword: boolean, device: string, ip: string, at: string }
}

const FOLDER = join(import.meta.dirname, '../../pages/mails')
const LANGUAGE = 'en'
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
/** Values that a stranger can choose. */
const FOREIGN = ['username', 'email', 'device', 'ip']

/** One line of limited length, so that a name cannot become a message of its own. */
function plain (value: unknown): string {
  return String(value).replace(/[\p{C}\s]+/gu, ' ').trim().slice(0, 100)
}

/**
 * Writes a mail as text and as HTML from the same words. The template of a mail, in the folder of its language,
 * passes its words to a layout, and only the layouts differ. `html.eta` escapes all of them.
 */
export async function createMailWriter (sender: Sender) {
  const templates = await loadTemplates(FOLDER)

  return function writeMail<Name extends keyof MailValues> (name: Name, given: MailValues[Name]): Mail {
    const values = Object.fromEntries(Object.entries(given).map(([key, value]) => {
      return [key, FOREIGN.includes(key) ? plain(value) : value]
    }))
    const words = {
      ...sender,
      ...values,
      language: LANGUAGE,
      time: 'at' in given ? TIME.format(new Date(given.at)) : '',
      signature: templates.render(`@${LANGUAGE}/signature`, sender).trim(),
    }
    const render = (layout: string) => templates.render(`@${LANGUAGE}/${name}`, { ...words, layout: `@${layout}` })
    return { subject: render('subject').trim(), text: `${render('text').trim()}\n`, html: render('html') }
  }
}
