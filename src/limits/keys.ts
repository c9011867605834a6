import { clientGroup } from '../edge/client-address.ts'
import { digest } from '../secrets/digest.ts'

/** What a limit can count for: a client address, an account, a session, a login name as typed, or an application. */
export const SUBJECTS = ['address', 'user', 'session', 'login', 'application'] as const
export type Subject = typeof SUBJECTS[number]

export function ofAddress<Figures> (prefix: string, figures: Figures) {
  return { ...figures, prefix, subject: 'address' as const, key: (ip: string) => prefix + clientGroup(ip) }
}

export function ofUser<Figures> (prefix: string, figures: Figures) {
  const key = (userId: string, browserId?: string) => prefix + (browserId ? `${browserId}:${userId}` : userId)
  return { ...figures, prefix, subject: 'user' as const, key }
}

export function ofSession<Figures> (prefix: string, figures: Figures) {
  return { ...figures, prefix, subject: 'session' as const, key: (sid: string) => prefix + sid }
}

export function ofApplication<Figures> (prefix: string, figures: Figures) {
  return { ...figures, prefix, subject: 'application' as const, key: (clientId: string) => prefix + clientId }
}

/** By the login as typed, so that an account that does not exist is limited like one that does. */
export function ofLogin<Figures> (prefix: string, figures: Figures) {
  const hashOf = (login: string) => digest(foldLogin(login)).toString('base64url')
  const key = (login: string, browserId = 'any') => `${prefix}${hashOf(login)}:${browserId}`
  return { ...figures, prefix, subject: 'login' as const, key }
}

/** What a key counts for. The login as typed is not stored: this is the beginning of its hash. */
export function whoOfKey (key: string, { prefix, subject }: { prefix: string, subject: Subject }): string {
  const rest = key.slice(prefix.length)
  if (subject === 'login') return rest.slice(0, 10)
  return subject === 'user' ? rest.slice(rest.lastIndexOf(':') + 1) : rest
}

/**
 * Returns the same text for all spellings of a login that the database treats as one account, and for a few more.
 * PostgreSQL lower-cases letters that JavaScript does not, such as İ. A counter per spelling would allow more guesses.
 */
export function foldLogin (login: string): string {
  return login.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().toUpperCase()
}
