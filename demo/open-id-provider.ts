import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Provider, type Account, type KoaContextWithOIDC } from 'oidc-provider'
import { consentPage, readConsent, type Consent, type Registration } from './consent.ts'
import { freePort } from './free-port.ts'
import type { Misbehaviour, Misbehaviours } from './misbehaviour.ts'
import { claimsOf, configuration, createKey, subjectOf } from './open-id-configuration.ts'
import { SIMULATIONS } from './open-id-simulations.ts'
import { PAGE_HEADERS, type Theme } from './page.ts'

interface Options extends Registration {
  theme: Theme
  misbehaviours: Misbehaviours
  /** Requires the scope `openid`, as Keycloak does. Google adds it by itself. */
  strictScope?: boolean
}

/** A certified OpenID Connect provider that can also simulate errors. */
export async function startOpenIdProvider (options: Options) {
  const { clientId, clientSecret, redirectUri, port, strictScope = false, theme, misbehaviours } = options
  const actualPort = await freePort(port)
  const url = `http://127.0.0.1:${actualPort}`
  const client = {
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [redirectUri],
    id_token_signed_response_alg: 'ES256' as const,
  }
  const key = createKey()
  const oidc = new Provider(url, { ...configuration(theme, key), clients: [client], findAccount })
  const consents = new Map<string, Consent>()

  async function findAccount (_ctx: KoaContextWithOIDC, sub: string, token?: { grantId?: string }): Promise<Account> {
    const consent = consents.get(token?.grantId ?? '')
    return { accountId: sub, claims: async () => ({ sub, ...consent && claimsOf(consent) }) }
  }

  async function grant (consent: Consent, scope: string) {
    const accountId = subjectOf(consent.person)
    const grant = new oidc.Grant({ accountId, clientId })
    grant.addOIDCScope(scope)
    const grantId = await grant.save()
    consents.set(grantId, consent)
    return { login: { accountId }, consent: { grantId } }
  }

  oidc.use(async function askForConsent (ctx, next) {
    if (!ctx.path.startsWith('/interaction/')) return next()
    const { params } = await oidc.interactionDetails(ctx.req, ctx.res)
    if (ctx.method === 'POST') {
      const consent = readConsent(new URLSearchParams(await text(ctx.req)), misbehaviours)
      const result = consent ? await grant(consent, String(params.scope)) : { error: 'access_denied' }
      ctx.redirect(await oidc.interactionResult(ctx.req, ctx.res, result))
      ctx.status = 303
    } else {
      ctx.set(PAGE_HEADERS)
      ctx.body = consentPage({
        theme,
        clientId,
        action: ctx.path,
        misbehaviours,
        misbehave: provider.misbehave,
      })
    }
  })

  oidc.use(async function addOpenidAsGoogleDoes (ctx, next) {
    const scopes = String(ctx.query.scope ?? '').split(' ')
    if (ctx.path === '/auth' && !strictScope && !scopes.includes('openid')) {
      ctx.query = { ...ctx.query, scope: ['openid', ...scopes].join(' ') }
    }
    return next()
  })

  oidc.use(async function misbehave (ctx, next) {
    if (ctx.path === '/token') provider.exchanges++
    await next()
    const consent = consents.get(ctx.oidc?.grant?.jti ?? '')
    if (consent) await SIMULATIONS[`${ctx.oidc.route} ${consent.misbehaviour}`]?.(ctx as KoaContextWithOIDC, key)
  })

  const provider = {
    url,
    /** Preselected on the consent page. */
    misbehave: undefined as Misbehaviour | undefined,
    /** The number of requests to the token endpoint. */
    exchanges: 0,
    async stop () {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }

  const server = createServer(oidc.callback())
  await once(server.listen(actualPort, '127.0.0.1'), 'listening')
  return provider
}
