// Loaded only with OPENID=on: the package takes a third of a second and 10 MB.
import { Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { isSecret } from './client-metadata.ts'
import { DEVICE_FLOW } from './device-flow.ts'
import { createPrompts, type PromptRules } from './prompts.ts'
import { checkAssertion, proofOf } from './proofs.ts'
import { COOKIES, MACHINE_TOKEN, PROVIDER_SETTINGS, withTokenClaims } from './provider-settings.ts'
import { registrationEndpoint } from './registration-endpoint.ts'
import { resourceIndicators, type ResourceRules } from './resource-indicators.ts'
import type { SelfRules } from './self-description.ts'
import type { TokenClaim } from '../settings/token-claims.ts'
import { sessionIdFor } from './session-id.ts'
import { SigningKey, type Key } from './signing-key.ts'
import { visits } from './visit.ts'

/** The session of a browser, as the provider sees it. */
interface ProviderSession {
  jti: string
  uid: string
  accountId: string
  loginTs: number
  amr: string[]
  acr: string
}

/** `kind`: of the provider's models. `aud`: the resource that it is for. */
export interface IntrospectedToken { kind: string, clientId?: string, aud?: string | string[] }

interface ProviderParts extends PromptRules, ResourceRules {
  issuer: string
  keys: Key[]
  cookieKeys: string[]
  adapter: Configuration['adapter']
  findAccount: Configuration['findAccount']
  loadGrant: (ctx: KoaContextWithOIDC, provider: Provider) => Promise<InstanceType<Provider['Grant']> | undefined>
  sessionOf (): ProviderSession | undefined
  pkceRequired (clientId: string): boolean
  mayIntrospect (clientId: string, token: IntrospectedToken): Promise<boolean>
  allowsOrigin (clientId: string, origin: string): boolean
  /** Members of the data of accounts, with the scopes that allow them. */
  claimsOfData: TokenClaim[]
  refreshTokenFor (grantId: string, generation: number): string
  /** Which applications can register themselves: OPENID_REGISTRATION. */
  registration: 'off' | 'documents' | 'open'
  selfRules: SelfRules
  /** Whether a proof with this id comes for the first time. `lifetime`: in seconds. */
  isFirstUse (issuer: string, id: string, lifetime: number): Promise<boolean>
}

type Model = { prototype: Record<string, unknown>, get?: unknown, unique?: unknown }
type Models = Record<'Session' | 'RefreshToken' | 'Client' | 'ClientCredentials' | 'ReplayDetection', Model>

/** They check a form that the provider has sent before. */
const WITH_STATE = ['end_session_confirm', 'code_verification']

/** A provider with these keys. */
export function createProvider (parts: ProviderParts): Provider {
  const endpoint = parts.registration === 'open' ? registrationEndpoint(parts.selfRules) : undefined
  const provider: Provider = new Provider(parts.issuer, {
    ...PROVIDER_SETTINGS,
    ...withTokenClaims(parts.claimsOfData),
    ...endpoint,
    // What an application says of itself must not make the service call an address.
    fetch: async () => { throw new Error('nothing is fetched') },
    discovery: parts.registration === 'off' ? {} : { client_id_metadata_document_supported: true },
    adapter: parts.adapter,
    jwks: { keys: parts.keys.map(key => new SigningKey(key)) },
    cookies: {
      names: COOKIES,
      keys: parts.cookieKeys,
      long: { httpOnly: true, sameSite: 'lax', overwrite: true },
      short: { httpOnly: true, sameSite: 'lax', overwrite: true },
    },
    findAccount: parts.findAccount,
    loadExistingGrant: ctx => parts.loadGrant(ctx, provider),
    interactions: {
      url: (_ctx, { params, uid }) => interactionAddress(uid, params.ui_locales),
      policy: createPrompts(parts),
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    pkce: { required: (_ctx, { clientId }) => parts.pkceRequired(clientId) },
    extraTokenClaims: proofOf,
    assertJwtClientAuthClaimsAndHeader: (_ctx, claims) => checkAssertion(claims),
    clientBasedCORS: (_ctx, origin, { clientId }) => parts.allowsOrigin(clientId, origin),
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: DEVICE_FLOW,
      dPoP: { enabled: true },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, { clientId }, token) => parts.mayIntrospect(clientId, token),
      },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: resourceIndicators(parts),
      revocation: { enabled: true, allowedPolicy: async (_ctx, { clientId }, token) => token.clientId === clientId },
      rpInitiatedLogout: { enabled: true, logoutSource: leaveToRoute, postLogoutSuccessSource: leaveToRoute },
      userinfo: { enabled: true },
      ...endpoint?.features,
    },
    renderError (ctx, { error, error_description: description }) {
      const visit = visits.getStore()
      if (visit) visit.error = { code: error, description }
      ctx.body = { error, error_description: description }
    },
  })

  useOwnSessions(provider, parts)
  useOwnTokens(provider, parts)
  provider.use(reportToVisit)
  provider.on('authorization.error', (_ctx, { error: code, error_description: description }) => {
    const visit = visits.getStore()
    if (visit) visit.refusal = { code, description }
  })
  provider.on('server_error', (_ctx, failure) => {
    const visit = visits.getStore()
    if (visit) visit.failure = failure
  })
  fixAddress(provider, new URL(parts.issuer))
  return provider
}

/** With the languages that the application asks for. */
const interactionAddress = (uid: string, languages: unknown) =>
  `/oidc/interaction/${uid}${typeof languages === 'string' ? `?${new URLSearchParams({ ui_locales: languages })}` : ''}`

/** The route renders the page: it knows the language. */
const leaveToRoute = (ctx: KoaContextWithOIDC) => { ctx.body = '' }

/** Koa computes the response, and Fastify sends it: with the headers, the log and the drain of every other route. */
const reportToVisit: Parameters<Provider['use']>[0] = async function (ctx, next) {
  const visit = visits.getStore()
  ctx.respond = false
  if (visit) visit.ctx = ctx as unknown as KoaContextWithOIDC
  try {
    await next()
  } catch (error) {
    if (visit) visit.failure = error
  }
}

/** The package has no setting for this: its session is that of the service, with another id for each application. */
function useOwnSessions (provider: Provider, { sessionOf }: ProviderParts) {
  const { Client, Session } = provider as unknown as Models
  const { Session: SessionModel } = provider
  const getOther = SessionModel.get.bind(SessionModel)
  const create = (payload: object) => Reflect.construct(SessionModel, [payload]) as InstanceType<Provider['Session']>
  Session.get = async function get (ctx: KoaContextWithOIDC) {
    const own = sessionOf()
    if (!own) return getOther(ctx)
    const begun = WITH_STATE.includes(ctx.oidc.route) ? await SessionModel.find(own.jti) : undefined
    const session = create({ ...own, ...begun?.state && { state: begun.state } })
    ctx.oidc.entity('Session', session)
    return session
  }
  Session.prototype.ensureClientContainer = function (this: InstanceType<Provider['Session']>, clientId: string) {
    this.sidFor(clientId, sessionIdFor(clientId, this.uid))
  }
  Client.prototype.includeSid = () => true
}

/** Nor for this: how tokens are written, how secrets are compared, and how a repeated proof is recognized. */
function useOwnTokens (provider: Provider, { refreshTokenFor, isFirstUse }: ProviderParts) {
  const { Client, ClientCredentials, RefreshToken, ReplayDetection } = provider as unknown as Models
  RefreshToken.prototype.generateTokenId = function (this: { grantId: string, rotations: number }) {
    return refreshTokenFor(this.grantId, this.rotations)
  }
  const generate = ClientCredentials.prototype.generateTokenId as () => string
  ClientCredentials.prototype.generateTokenId = function () { return MACHINE_TOKEN + generate.call(this) }
  // The package asks first and writes then: of two requests at once, both would be the first.
  ReplayDetection.unique = (issuer: string, id: string, until: number) =>
    isFirstUse(issuer, id, until - Math.floor(Date.now() / 1_000))
  Client.prototype.compareClientSecret = function (this: { clientSecret?: string }, secret: string) {
    return isSecret(this.clientSecret ?? '', secret)
  }
}

/** Links come from PUBLIC_URL, whatever the request claims. */
function fixAddress (provider: Provider, { host, protocol, origin }: URL) {
  Object.defineProperties(provider.request, {
    host: { get: () => host },
    hostname: { get: () => new URL(origin).hostname },
    protocol: { get: () => protocol.slice(0, -1) },
    origin: { get: () => origin },
    href: { get (this: Provider['request']) { return new URL(this.url.replace(/^\w+:\/\/[^/]*/, ''), origin).href } },
  })
}
