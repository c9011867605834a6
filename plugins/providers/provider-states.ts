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
export interface BegunSignIn { state: string, verifier: string }

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
      const cookies = cookiesOf(provider)
      for (const part of ['state', 'verifier'] as const) {
        reply.setCookie(cookies[part].name, begun[part], cookies[part].attributes)
      }
      return begun
    },

    /** A browser can send cookies again, so that a state is accepted only once, whatever the callback brings. */
    async use (provider: Provider, request: FastifyRequest, reply: FastifyReply): Promise<BegunSignIn> {
      const cookies = cookiesOf(provider)
      const read = ({ name }: { name: string }) => request.unsignCookie(request.cookies[name] ?? '')
      const [state, verifier] = [read(cookies.state), read(cookies.verifier)]
      for (const { name, attributes } of Object.values(cookies)) reply.clearCookie(name, attributes)
      if (!state.valid || !verifier.valid) throw new UnknownSignIn('this browser began no sign-in')
      const key = `state:${digest(state.value).toString('base64url')}`
      const { count } = await counters.take(key, SIGN_IN_TIME * 1_000)
      if (count > 1) throw new UnknownSignIn('this sign-in came back before')
      return { state: state.value, verifier: verifier.value }
    },
  }
}

export default fp(async function (app) {
  app.decorate('providerStates', createProviderStates(app))
}, { name: 'provider-states', dependencies: ['counters', 'cookies'] })
