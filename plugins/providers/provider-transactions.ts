import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Provider } from '../../src/providers/providers.ts'
import { transactionCookie } from '../../src/providers/transaction-cookie.ts'
import { digest } from '../../src/secrets/digest.ts'
import type { Claims } from '../sessions/tokens.ts'

declare module 'fastify' {
  interface FastifyInstance { providerTransactions: ReturnType<typeof createProviderTransactions> }
}

interface Transaction {
  /** The session that the sign-in replaces. */
  session?: Pick<Claims, 'userId' | 'sid'>
  /** The path to open after the sign-in. It must have been checked. */
  next: string
  /** The session proves its identity once more, since this time in seconds. No session is opened. */
  confirmedSince?: number
  /** The user of the session connects this provider to the account. No session is opened. */
  connects?: boolean
}

/** In place of `confirmedSince` in the cookie. */
const CONNECTS = 'connect'

/**
 * Carries what the start of a sign-in knows to its callback, where browsers send no Strict cookie.
 * The signed cookie is `id.userId.sid.next.purpose`.
 */
function createProviderTransactions (app: FastifyInstance) {
  const { config } = app
  /** Binds the cookie to one sign-in: that of another one is not used. */
  const idOf = ({ key }: Provider, state: string) => digest(`${key} ${state}`).toString('base64url')

  return {
    /** `authorizeUrl` is where the browser is sent, and holds the state. */
    begin (provider: Provider, authorizeUrl: string, transaction: Transaction, reply: FastifyReply) {
      const { session, next, confirmedSince, connects } = transaction
      const id = idOf(provider, new URL(authorizeUrl).searchParams.get('state') as string)
      const path = Buffer.from(next).toString('base64url')
      const purpose = connects ? CONNECTS : confirmedSince
      const value = [id, session?.userId, session?.sid, path, purpose].join('.')
      transactionCookie(config, provider, 'transaction').write(reply, value)
    },

    /** What `begin` stored for this state, or undefined. The caller must check the state itself. */
    end (
      provider: Provider,
      state: string | undefined,
      request: FastifyRequest,
      reply: FastifyReply
    ): Transaction | undefined {
      const cookie = transactionCookie(config, provider, 'transaction')
      const [id, userId, sid, path, purpose] = cookie.read(request)?.split('.') ?? []
      cookie.clear(reply)
      if (!state || !path || id !== idOf(provider, state)) return undefined
      return {
        session: userId && sid ? { userId, sid } : undefined,
        next: Buffer.from(path, 'base64url').toString(),
        confirmedSince: purpose && purpose !== CONNECTS ? Number(purpose) : undefined,
        connects: purpose === CONNECTS,
      }
    },
  }
}

export default fp(async function (app) {
  app.decorate('providerTransactions', createProviderTransactions(app))
}, { name: 'provider-transactions', dependencies: ['cookies'] })
