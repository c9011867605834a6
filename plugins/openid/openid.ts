import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { isProtected } from '../../src/factors/methods.ts'
import type { IntrospectedToken } from '../../src/openid/create-provider.ts'
import { asksForSecondFactor, levelOf } from '../../src/openid/provider-settings.ts'
import { Refused } from '../../src/openid/errors.ts'
import { allowedResources, requestedScopes, scopesByResource, spellingsOf } from '../../src/openid/scopes.ts'
import { takeHeaders } from '../../src/openid/send-response.ts'
import { sessionIdFor } from '../../src/openid/session-id.ts'
import { visits, type Visit as AnyVisit } from '../../src/openid/visit.ts'
import { scopesOf, tokenClaimsIn } from '../../src/settings/token-claims.ts'
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

/** Marks a session of the service among those of the provider. */
const OWN = 'gh:'

/** The OpenID provider. Loaded only where it is used. */
async function createOpenid (app: FastifyInstance) {
  const {
    applicationConsents, browserSessions, config, factors, freshProof, machineTokens, openidStorage, signingKeys,
    tokenClaims, tokens, users,
  } = app
  const { createProvider } = await import('../../src/openid/create-provider.ts')
  const { origin: issuer } = new URL(config.PUBLIC_URL)
  const ownScopes = scopesOf(config)
  const claimsOfData = tokenClaimsIn(config.TOKEN_CLAIMS).filter(({ scope }) => scope)
  let built: { provider: Provider, keys: string } | undefined

  const applicationOf = (id: string) => visitOf()?.applications.get(id)
  const visitOf = () => visits.getStore() as Visit | undefined

  /** The session that the cookies of this browser name. A session that must still add a factor gets nothing. */
  async function signedIn (request: FastifyRequest): Promise<SignedIn | undefined> {
    const access = tokens.accessOf(request)
    const refresh = access ? undefined : tokens.refreshOf(request)
    const claims = access ?? refresh
    const session = claims && await browserSessions.find(claims.userId, claims.sid, refresh?.gen)
    return session && { session, mustEnrol: await factors.mustEnrol(session.userId) }
  }

  /** Undefined if it does not exist any more, or is disabled. */
  async function accountOf (id: string) {
    const found = visitOf()?.found
    if (found?.userId === id) return found
    const user = await users.findById(id)
    return user && !user.disabledAt ? { ...user, emailVerified: user.emailVerifiedAt !== null } : undefined
  }

  async function findAccount (_ctx: unknown, id: string) {
    const account = await accountOf(id)
    if (!account) return undefined
    const { email, emailVerified, language, name, timeZone, username } = account
    return {
      accountId: id,
      claims: async () => ({
        // The provider leaves out what the scopes do not allow.
        ...claimsOfData.length > 0 && await tokenClaims.of(id),
        sub: id,
        ...name && { name },
        preferred_username: username,
        ...language && { locale: language },
        ...timeZone && { zoneinfo: timeZone },
        email,
        email_verified: emailVerified,
      }),
    }
  }

  /** What the application is granted without a question. Undefined if the user must be asked. */
  async function loadGrant ({ oidc }: KoaContextWithOIDC, provider: Provider) {
    const visit = visitOf()
    const { client, session } = oidc
    if (!visit?.session || !client || !session) return undefined
    const application = await openidStorage.findApplication(client.clientId)
    const scopes = requestedScopes(oidc.params ?? {}, application?.resources ?? [], config)
    const { userId } = visit.session
    if (!application || needsNewConsent({ oidc })) return undefined
    const isAllowed = application.trusted || application.registration
    const allowed = isAllowed ? scopes : await applicationConsents.find(userId, application.id)
    if (!scopes.every(scope => allowed.includes(scope))) return undefined
    const grant = new provider.Grant({
      accountId: userId,
      clientId: client.clientId,
      jti: randomUUID(),
    } as ConstructorParameters<Provider['Grant']>[0])
    grant.addOIDCScope(scopes.filter(scope => ownScopes.includes(scope)).join(' '))
    for (const [uri, names] of scopesByResource(scopes)) {
      for (const spelling of spellingsOf(uri, oidc.params ?? {})) grant.addResourceScope(spelling, names.join(' '))
    }
    visit.grant = {
      id: grant.jti,
      applicationId: application.id,
      sessionId: visit.session.id,
      sid: sessionIdFor(client.clientId, visit.session.firstId),
      scopes,
      allowed: { clientId: client.clientId, openid: grant.openid, resources: grant.resources },
    }
    return grant
  }

  /** An application that registered itself is allowed once, by the account that is signed in now. */
  function needsNewConsent ({ oidc }: Pick<KoaContextWithOIDC, 'oidc'>): boolean {
    const { by } = (oidc.result?.consent ?? {}) as { by?: string }
    const registration = oidc.client && applicationOf(oidc.client.clientId)?.registration
    return Boolean(registration) && (by === undefined || by !== visitOf()?.session?.userId)
  }

  async function needsSecondFactor ({ oidc }: KoaContextWithOIDC): Promise<boolean> {
    const session = visitOf()?.session
    if (!session || !asksForSecondFactor(oidc.params?.acr_values) || levelOf(session.amr) === 'aal2') return false
    return isProtected(await factors.of(session.userId))
  }

  async function needsFreshProof ({ oidc }: KoaContextWithOIDC): Promise<boolean> {
    const session = visitOf()?.session
    // A copied access token of a bound session must not become a session of its own, which no key protects.
    const leavesDevice = oidc.entities.DeviceCode || (session?.isBound && oidc.requestParamScopes.has('offline_access'))
    if (!session || !leavesDevice) return false
    return !await freshProof.isFresh({ userId: session.userId, sid: session.id })
  }

  /**
   * A resource may ask for its own tokens only: one for another resource is worth nothing there. A service that only
   * asks whether a token is active must not take a refresh token for an access token.
   */
  async function mayIntrospect (id: string, { kind, clientId = '', aud }: IntrospectedToken): Promise<boolean> {
    const application = applicationOf(id)
    const owner = applicationOf(clientId) ?? await openidStorage.findApplication(clientId)
    if (!application || !owner || application.kind === 'public') return false
    if (aud !== undefined && !allowedResources(owner.resources).includes(String(aud))) return false
    if (id === clientId) return true
    if (kind === 'RefreshToken') return false
    if (aud !== undefined || application.serves) return application.serves === aud
    return application.kind === 'machine' || application.trusted
  }

  function sessionOfVisit () {
    const session = visitOf()?.session
    return session && {
      jti: OWN + session.id,
      uid: session.firstId,
      accountId: session.userId,
      loginTs: session.authTime,
      amr: session.amr,
      acr: levelOf(session.amr),
      exp: session.expiresAt,
    }
  }

  /** A new one when the keys have changed. */
  async function current (): Promise<Provider> {
    const keys = await signingKeys.forClients()
    const kids = keys.map(({ kid }) => kid).join(' ')
    if (built?.keys === kids) return built.provider
    const provider = createProvider({
      issuer,
      keys,
      cookieKeys: keysFor('openid-cookies', config),
      adapter: openidStorage.adapter,
      findAccount,
      loadGrant,
      sessionOf: sessionOfVisit,
      needsSecondFactor,
      needsFreshProof,
      needsNewConsent,
      registration: config.OPENID_REGISTRATION,
      selfRules: { ...rulesOf(config), brand: config.BRAND_NAME },
      pkceRequired: id => !applicationOf(id)?.pkceOptional,
      resources: config.resources,
      claimsOfData,
      resourcesOf: id => applicationOf(id)?.resources ?? [],
      countMachine: machineTokens.count,
      mayIntrospect,
      isFirstUse: openidStorage.isFirstUse,
      allowsOrigin: (id, origin) => {
        const application = applicationOf(id)
        // That of a scheme of its own would be `null`, which every sandboxed page sends.
        return application?.kind === 'public' && origin !== 'null' &&
          application.redirectUris.some(uri => URL.parse(uri)?.origin === origin)
      },
      refreshTokenFor: (grantId, generation) => openidStorage.refreshValues.write({ grantId, generation }),
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
    findApplication: openidStorage.findApplication,
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
        await openidStorage.apply(visit.changes)
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
    'application-consents', 'browser-sessions', 'factors', 'fresh-proof', 'machine-tokens', 'openid-storage',
    'signing-keys', 'token-claims', 'tokens', 'users',
  ],
})
