import Fastify from 'fastify'
import type { Registration } from './consent.ts'
import { freePort } from './free-port.ts'
import type { Misbehaviour } from './misbehaviour.ts'
import { addApiRoutes } from './provider-b-api.ts'
import { addOAuthRoutes, type Grant } from './provider-b-oauth.ts'

/** An OAuth provider that behaves like GitHub. */
export async function startProviderB (client: Registration) {
  const port = await freePort(client.port)
  const url = `http://127.0.0.1:${port}`
  const tokens = new Map<string, Grant>()
  const app = Fastify({ forceCloseConnections: true })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, body)
  )

  const provider = {
    url,
    settings: {
      PROVIDER_B_CLIENT_ID: client.clientId,
      PROVIDER_B_CLIENT_SECRET: client.clientSecret,
      PROVIDER_B_REDIRECT_URI: client.redirectUri,
      PROVIDER_B_AUTHORIZE_URL: `${url}/login/oauth/authorize`,
      PROVIDER_B_TOKEN_URL: `${url}/login/oauth/access_token`,
      PROVIDER_B_USERINFO_URL: `${url}/user`,
      PROVIDER_B_EMAILS_URL: `${url}/user/emails`,
    },
    /** Preselected on the consent page. */
    misbehave: undefined as Misbehaviour | undefined,
    /** The number of requests to the token endpoint. */
    exchanges: 0,
    stop: () => app.close(),
  }

  addOAuthRoutes(app, { url, client, tokens, provider })
  addApiRoutes(app, url, tokens)
  await app.listen({ port, host: '127.0.0.1' })
  return provider
}
