import { createHash } from 'node:crypto'

/** A username from an address whose system had none: `ada.lovelace` for `ada.lovelace+news@example.com`. */
export function usernameFor (email: string): string {
  const local = email.split(/[@+]/)[0] ?? ''
  const cleaned = local.replace(/[^A-Za-z0-9._-]/g, '').slice(0, 32).replace(/^[._-]+|[._-]+$/g, '')
  return cleaned.length >= 3 ? cleaned : distinctUsernameFor(email)
}

/** For a second one with the same beginning. The same address gets the same username each time. */
export function distinctUsernameFor (email: string): string {
  const digest = createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 10)
  const beginning = (email.split(/[@+]/)[0] ?? '').replace(/[^A-Za-z0-9]/g, '').slice(0, 20) || 'user'
  return `${beginning}-${digest}`
}
