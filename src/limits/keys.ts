import { clientGroup } from '../edge/client-address.ts'
import { digest } from '../secrets/digest.ts'
import { foldLogin } from './fold-login.ts'

const hashOf = (login: string) => digest(foldLogin(login)).toString('base64url')

/** The name under which each limit counts. */
export const limitKeys = {
  login: (ip: string) => `login-attempts:${clientGroup(ip)}`,
  /** A browser that has signed in to this account before counts for itself, not for its address. */
  knownBrowser: (browserId: string, userId: string) => `login-attempts:browser:${browserId}:${userId}`,
  passkey: (ip: string) => `passkey-attempts:${clientGroup(ip)}`,
  sensitive: (ip: string) => `sensitive:${clientGroup(ip)}`,
  /** A user, a session, or the group of a client address. */
  general: (who: string) => `general:${who}`,
  /** By the login as typed, so that an account that does not exist is limited like one that does. */
  account: (login: string, browserId = 'any') => `account-attempts:${hashOf(login)}:${browserId}`,
  /** Wrong codes at the second step of a login: only the password leads there. */
  codes: (userId: string) => `codes:${userId}`,
  codesOfSession: (sid: string) => `codes:session:${sid}`,
  operatorKeys: (ip: string) => `operator-keys:${clientGroup(ip)}`,
  /** All known browsers of an account together. */
  knownBrowsers: (userId: string) => `account-attempts:known-browsers:${userId}`,
}
