// Loaded only with OPENID=on: the package takes a third of a second and 10 MB.
import { Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { isSecret } from './client-metadata.ts'
import { COMMAND_LINE } from './command-line.ts'
import { DEVICE_FLOW } from './device-flow.ts'
import { createPrompts, type PromptRules } from './prompts.ts'
import { COOKIES, PROVIDER_SETTINGS } from './provider-settings.ts'
import { sessionIdFor } from './session-id.ts'
import { SigningKey, type Key } from './signing-key.ts'
import { visits } from './visit.ts'

/** The session of a browser, as the provider sees it. */
export interface ProviderSession {
  jti: string
  uid: string
  accountId: string
  loginTs: number
  amr: string[]
  acr: string
}

export interface ProviderParts extends PromptRules {
  issuer: string
  keys: Key[]
  cookieKeys: string[]
  adapter: Configuration['adapter']
  findAccount: Configuration['findAccount']
  loadGrant: (ctx: KoaContextWithOIDC, provider: Provider) => Promise<InstanceType<Provider['Grant']> | undefined>
  sessionOf (): ProviderSession | undefined
  pkceRequired (clientId: string): boolean
  mayIntrospect (clientId: string, tokenOf: string): boolean
  allowsOrigin (clientId: string, origin: string): boolean
  refreshTokenFor (grantId: string, generation: number): string
}

/** They check a form that the provider has sent before. */
const WITH_STATE = ['end_session_confirm', 'code_verification']

type Models = Record<'Session' | 'RefreshToken' | 'Client', { prototype: Record<string, unknown>, get?: unknown }>

/** A provider with these keys. */
export function createProvider (parts: ProviderParts): Provider {
  const provider: Provider = new Provider(parts.issuer, {
    ...PROVIDER_SETTINGS,
    ttl: {
      ...PROVIDER_SETTINGS.ttl,
      AccessToken: (_ctx, _token, { clientId }) =>
        clientId === COMMAND_LINE.id ? COMMAND_LINE.lifetime : PROVIDER_SETTINGS.ttl.AccessToken,
    },
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
    issueRefreshToken: async (_ctx, client) =>
      client.grantTypeAllowed('refresh_token') && client.clientId !== COMMAND_LINE.id,
    pkce: { required: (_ctx, { clientId }) => parts.pkceRequired(clientId) },
    clientBasedCORS: (_ctx, origin, { clientId }) => parts.allowsOrigin(clientId, origin),
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      deviceFlow: DEVICE_FLOW,
      dPoP: { enabled: false },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      introspection: {
        enabled: true,
        // A service that only asks whether a token is active must not take a refresh token for an access token.
        allowedPolicy: async (_ctx, { clientId }, { clientId: tokenOf = '', kind }) =>
          (kind !== 'RefreshToken' || clientId === tokenOf) && parts.mayIntrospect(clientId, tokenOf),
      },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async (_ctx, { clientId }, token) => token.clientId === clientId },
      rpInitiatedLogout: { enabled: true, logoutSource: leaveToRoute, postLogoutSuccessSource: leaveToRoute },
      userinfo: { enabled: true },
    },
    renderError (ctx, { error, error_description: description }) {
      const visit = visits.getStore()
      if (visit) visit.error = { code: error, description }
      ctx.body = { error, error_description: description }
    },
  })

  useOwnSessions(provider, parts)
  provider.use(reportToVisit)
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

/**
 * Places in which the package has no setting. The session is that of the service; each application knows it by an id of
 * its own; refresh tokens are written as ours; and secrets are compared by their digests.
 */
function useOwnSessions (provider: Provider, { sessionOf, refreshTokenFor }: ProviderParts) {
  const { Client, RefreshToken, Session } = provider as unknown as Models
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
  RefreshToken.prototype.generateTokenId = function (this: { grantId: string, rotations: number }) {
    return refreshTokenFor(this.grantId, this.rotations)
  }
  Client.prototype.includeSid = () => true
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
