import { randomUUID } from 'node:crypto'
import type { IDToken, TokenEndpointResponse, UserInfoResponse } from 'openid-client'
import type { Pending } from './application-client.ts'

/** A browser that has visited the demo application. */
export interface Visitor {
  id: string
  pending?: Pending
  session?: { claims: IDToken, tokens: TokenEndpointResponse, user?: UserInfoResponse }
  /** The session at Gatehouse, also after the sign-out here. */
  sid?: string
  log: Array<{ at: Date, text: string }>
}

const COOKIE = 'orders_visitor'
const MAX_VISITORS = 1_000

/** Kept in memory: the demo application forgets everything when it stops. */
export function createVisitors () {
  const visitors = new Map<string, Visitor>()

  return {
    /** The browser that has this cookie, or a new one. */
    of (cookies = ''): Visitor {
      const id = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(cookies)?.[1] ?? ''
      return visitors.get(id) ?? { id: randomUUID(), log: [] }
    },

    /** At a sign-in: nobody can have planted the new id in this browser. */
    renew (visitor: Visitor) {
      visitors.delete(visitor.id)
      visitor.id = randomUUID()
    },

    /** Returns the cookie. */
    keep (visitor: Visitor): string {
      visitors.set(visitor.id, visitor)
      const [oldest = ''] = visitors.keys()
      if (visitors.size > MAX_VISITORS) visitors.delete(oldest)
      return `${COOKIE}=${visitor.id}; Path=/; HttpOnly; SameSite=Lax`
    },

    withSession: (sid: string) => [...visitors.values()].filter(visitor => visitor.sid === sid),
  }
}
