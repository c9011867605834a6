import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { UnknownSignIn } from '../../src/providers/errors.ts'
import type { Provider } from '../../src/providers/providers.ts'
import { SIGN_IN_TIME, transactionCookie } from '../../src/providers/transaction-cookie.ts'
import { digest } from '../../src/secrets/digest.ts'

declare module 'fastify' {
  interface FastifyInstance { providerStates: ReturnType<typeof createProviderStates> }
}

/** `verifier`: that of PKCE. */
interface BegunSignIn { state: string, verifier: string }

const PARTS = ['state', 'verifier'] as const
type Part = typeof PARTS[number]

const random = () => randomBytes(32).toString('base64url')

/** The state and verifier of the sign-in that a browser began, in its signed cookies. */
function createProviderStates ({ config, counters }: FastifyInstance) {
  const cookiesOf = (provider: Provider) => ({
    state: transactionCookie(config, provider, 'state'),
    verifier: transactionCookie(config, provider, 'verifier'),
  })

  return {
    begin (provider: Provider, reply: FastifyReply): BegunSignIn {
      const begun = { state: random(), verifier: random() }
      for (const part of PARTS) cookiesOf(provider)[part].write(reply, begun[part])
      return begun
    },

    /** Stores what another library created. */
    keep (provider: Provider, part: Part, value: string, reply: FastifyReply) {
      cookiesOf(provider)[part].write(reply, value)
    },

    /**
     * The sign-in that came back with the state `returned`. A browser can send cookies again, so that a state
     * is accepted only once.
     */
    async use (
      provider: Provider,
      returned: string | undefined,
      request: FastifyRequest,
      reply: FastifyReply
    ): Promise<BegunSignIn> {
      const cookies = cookiesOf(provider)
      const [state, verifier] = PARTS.map(part => cookies[part].read(request))
      for (const part of PARTS) cookies[part].clear(reply)
      if (!state || !verifier) throw new UnknownSignIn('this browser began no sign-in')
      if (returned !== state) throw new UnknownSignIn('the state is not the one that this browser got')
      const key = `state:${digest(state).toString('base64url')}`
      const { count } = await counters.take(key, SIGN_IN_TIME * 1_000)
      if (count > 1) throw new UnknownSignIn('this sign-in came back before')
      return { state, verifier }
    },
  }
}

export default fp(async function (app) {
  app.decorate('providerStates', createProviderStates(app))
}, { name: 'provider-states', dependencies: ['counters', 'cookies'] })
