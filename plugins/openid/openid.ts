import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Provider } from 'oidc-provider'
import { Refused } from '../../src/openid/errors.ts'
import { takeHeaders } from '../../src/openid/send-response.ts'
import { visits, type Visit as AnyVisit } from '../../src/openid/visit.ts'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import { rulesOf } from '../../src/webhooks/address.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { Grant, NewGrant } from '../records/openid/application-grants.ts'
import type { ApplicationWithSecrets } from '../records/openid/applications.ts'
import type { BrowserSession } from '../records/openid/browser-sessions.ts'

declare module 'fastify' {
  interface FastifyInstance { openid: Awaited<ReturnType<typeof createOpenid>> }
}

export type Visit = AnyVisit<BrowserSession, NewGrant, Queryable, ApplicationWithSecrets, Grant>

interface SignedIn {
  session: BrowserSession
  /** Whether it can do nothing but add a second factor. */
  mustEnrol: boolean
}

/** The OpenID provider. Loaded only where it is used. */
async function createOpenid (app: FastifyInstance) {
  const { browserSessions, config, endpointLimits, factors, grantStorage, openidStorage, providerAnswers } = app
  const { signingKeys, tokens, visitChanges } = app
  const { createProvider } = await import('../../src/openid/create-provider.ts')
  const { origin: issuer } = new URL(config.PUBLIC_URL)
  let built: { provider: Provider, keys: string } | undefined

  /** The session that the cookies of this browser name. A session that must still add a factor gets nothing. */
  async function signedIn (request: FastifyRequest): Promise<SignedIn | undefined> {
    const access = tokens.accessOf(request)
    const refresh = access ? undefined : tokens.refreshOf(request)
    const claims = access ?? refresh
    const session = claims && await browserSessions.find(claims.userId, claims.sid, refresh?.gen)
    return session && { session, mustEnrol: await factors.mustEnrol(session.userId) }
  }

  /** A new one when the keys have changed. */
  async function current (): Promise<Provider> {
    const keys = await signingKeys.forClients()
    const kids = keys.map(({ kid }) => kid).join(' ')
    if (built?.keys === kids) return built.provider
    const provider = createProvider({
      ...providerAnswers,
      issuer,
      keys,
      cookieKeys: keysFor('openid-cookies', config),
      adapter: openidStorage.adapter,
      isFirstUse: openidStorage.isFirstUse,
      refreshTokenFor: (grantId, generation) => grantStorage.refreshValues.write({ grantId, generation }),
      registration: config.OPENID_REGISTRATION,
      selfRules: { ...rulesOf(config), brand: config.BRAND_NAME },
      resources: config.resources,
      countMachine: endpointLimits.takeMachineToken,
    })
    built = { provider, keys: kids }
    return provider
  }

  /**
   * Anyone can register an address. A browser is sent there with an error only after the user has refused; otherwise, a
   * page shows where the application is (RFC 9700, section 4.11).
   */
  function stayHere (visit: Visit) {
    const { applications, ctx, error, headers, refusal } = visit
    const { client, entities } = ctx?.oidc ?? {}
    if (!ctx || !refusal || error || !client || !applications.get(client.clientId)?.registration) return
    if (entities?.Interaction?.result?.error === 'access_denied') return
    visit.error = { ...refusal, returnTo: headers?.location as string | undefined }
    visit.headers = {}
    ctx.status = 400
  }

  /** For discovery: the last one if PostgreSQL cannot be asked for the keys. */
  async function latest (): Promise<Provider> {
    return current().catch(error => {
      if (!built) throw error
      return built.provider
    })
  }

  return {
    signedIn,
    current,
    latest,

    /** Lets the provider compute the response to this request. */
    async visit (
      request: FastifyRequest,
      reply: FastifyReply,
      session?: BrowserSession,
      given?: Provider
    ): Promise<Visit> {
      const provider = given ?? await current()
      const visit: Visit = { request, session, applications: new Map(), changes: [] }
      await visits.run(visit, () => provider.callback()(request.raw, reply.raw))
      visit.headers = takeHeaders(visit, reply)
      try {
        if (visit.failure) throw visit.failure
        await visitChanges.apply(visit.changes)
        stayHere(visit)
      } catch (error) {
        if (!(error instanceof Refused) || !visit.ctx) throw error
        visit.ctx.status = 400
        visit.headers = {}
        visit.error = { code: error.code, description: error.message }
      }
      return visit
    },
  }
}

export default fp(async function (app) {
  if (app.config.OPENID === 'on') app.decorate('openid', await createOpenid(app))
}, {
  name: 'openid',
  dependencies: [
    'browser-sessions', 'endpoint-limits', 'factors', 'grant-storage', 'openid-storage', 'provider-answers',
    'signing-keys', 'tokens', 'visit-changes',
  ],
})
