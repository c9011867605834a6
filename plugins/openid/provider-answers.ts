import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { isProtected } from '../../src/factors/methods.ts'
import type { IntrospectedToken } from '../../src/openid/create-provider.ts'
import { asksForSecondFactor, levelOf } from '../../src/openid/provider-settings.ts'
import { allowedResources, requestedScopes, scopesByResource, spellingsOf } from '../../src/openid/scopes.ts'
import { sessionIdFor } from '../../src/openid/session-id.ts'
import { visits } from '../../src/openid/visit.ts'
import { scopesOf, tokenClaimsIn } from '../../src/settings/token-claims.ts'
import type { BrowserSession } from '../records/openid/browser-sessions.ts'
import type { Visit } from './openid.ts'

declare module 'fastify' {
  interface FastifyInstance { providerAnswers: ReturnType<typeof createProviderAnswers> }
}

/** Marks a session of the service among those of the provider. */
const OWN = 'gh:'

/** What the OpenID provider asks of the service while it computes a response: accounts, grants, and what is allowed. */
function createProviderAnswers (app: FastifyInstance) {
  const { applicationConsents, config, factors, findApplication, freshProof, tokenClaims, users } = app
  const ownScopes = scopesOf(config)
  const claimsOfData = tokenClaimsIn(config.TOKEN_CLAIMS).filter(({ scope }) => scope)

  const visitOf = () => visits.getStore() as Visit | undefined
  const applicationOf = (id: string) => visitOf()?.applications.get(id)

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
    const application = await findApplication(client.clientId)
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

  /** Whether the application asks for a second factor that the account has and the session has not proved. */
  async function lacksSecondFactor (acrValues: unknown, { amr, userId }: BrowserSession): Promise<boolean> {
    if (!asksForSecondFactor(acrValues) || levelOf(amr) === 'aal2') return false
    return isProtected(await factors.of(userId))
  }

  async function needsSecondFactor ({ oidc }: KoaContextWithOIDC): Promise<boolean> {
    const session = visitOf()?.session
    return session !== undefined && lacksSecondFactor(oidc.params?.acr_values, session)
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
    const owner = applicationOf(clientId) ?? await findApplication(clientId)
    if (!application || !owner || application.kind === 'public') return false
    if (aud !== undefined && !allowedResources(owner.resources).includes(String(aud))) return false
    if (id === clientId) return true
    if (kind === 'RefreshToken') return false
    if (aud !== undefined || application.serves) return application.serves === aud
    return application.kind === 'machine' || application.trusted
  }

  /** The session of the service, as one of the provider. */
  function sessionOf () {
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

  return {
    claimsOfData,
    findAccount,
    lacksSecondFactor,
    loadGrant,
    needsFreshProof,
    needsNewConsent,
    needsSecondFactor,
    mayIntrospect,
    sessionOf,

    pkceRequired: (id: string): boolean => !applicationOf(id)?.pkceOptional,

    resourcesOf: (id: string): string[] => applicationOf(id)?.resources ?? [],

    /** Whether pages of this origin can read the responses to the application. */
    allowsOrigin (id: string, origin: string): boolean {
      const application = applicationOf(id)
      // The origin of a private-use scheme is `null`, which every sandboxed page sends.
      return application?.kind === 'public' && origin !== 'null' &&
        application.redirectUris.some(uri => URL.parse(uri)?.origin === origin)
    },
  }
}

export default fp(async function (app) {
  app.decorate('providerAnswers', createProviderAnswers(app))
}, {
  name: 'provider-answers',
  dependencies: ['application-consents', 'factors', 'find-application', 'fresh-proof', 'token-claims', 'users'],
})
