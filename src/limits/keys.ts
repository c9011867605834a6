import { clientGroup } from '../http/client-address.ts'
import { digest } from '../tokens/digest.ts'
import { foldLogin } from './fold-login.ts'

/** The counter key of each limit. */
export const limitKeys = {
  login: (ip: string) => `login:${clientGroup(ip)}`,
  sensitive: (ip: string) => `sensitive:${clientGroup(ip)}`,
  /** Counts per user, session or client address group. */
  general: (who: string) => `general:${who}`,
  /** Uses the login as typed, so that unknown accounts are limited like existing ones. */
  account: (login: string, device = 'any') => `account:${digest(foldLogin(login)).toString('base64url')}:${device}`,
}
