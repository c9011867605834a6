import { clientGroup } from '../http/client-address.ts'
import { digest } from '../tokens/digest.ts'
import { foldLogin } from './fold-login.ts'

/** Under which name each limit counts. */
export const limitKeys = {
  login: (ip: string) => `login:${clientGroup(ip)}`,
  sensitive: (ip: string) => `sensitive:${clientGroup(ip)}`,
  /** A user, a session, or the group of a client address. */
  general: (who: string) => `general:${who}`,
  /** By the login as typed, so that an account that does not exist is limited like one that does. */
  account: (login: string, device = 'any') => `account:${digest(foldLogin(login)).toString('base64url')}:${device}`,
}
