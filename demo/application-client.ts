import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'

/** How the application is registered with Gatehouse. */
export interface Registered {
  issuer: string
  clientId: string
  clientSecret: string
  /** The address of the application. */
  url: string
}

/** What the application remembers between the start of a sign-in and the way back. */
export interface Pending { verifier: string, state: string, nonce: string }

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** The OpenID Connect client of the demo application. Gatehouse is asked for its endpoints at the first use. */
export function createApplicationClient ({ issuer, clientId, clientSecret, url }: Registered) {
  let discovered: Promise<client.Configuration> | undefined

  async function discover (): Promise<client.Configuration> {
    // allowInsecureRequests: the demo has no TLS.
    discovered ??= client.discovery(new URL(issuer), clientId, undefined, client.ClientSecretBasic(clientSecret), {
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    })
    discovered.catch(() => { discovered = undefined })
    return discovered
  }

  return {
    async begin (): Promise<{ address: URL, pending: Pending }> {
      const pending = {
        verifier: client.randomPKCECodeVerifier(),
        state: client.randomState(),
        nonce: client.randomNonce(),
      }
      const address = client.buildAuthorizationUrl(await discover(), {
        redirect_uri: `${url}/callback`,
        scope: 'openid profile email',
        code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        state: pending.state,
        nonce: pending.nonce,
      })
      return { address, pending }
    },

    finish: async (path: string, { verifier, state, nonce }: Pending) =>
      client.authorizationCodeGrant(await discover(), new URL(path, url), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
      }),

    refresh: async (refreshToken: string) => client.refreshTokenGrant(await discover(), refreshToken),

    userinfo: async (accessToken: string, sub: string) => client.fetchUserInfo(await discover(), accessToken, sub),

    signOutAddress: async (idToken: string) => client.buildEndSessionUrl(await discover(), {
      id_token_hint: idToken,
      post_logout_redirect_uri: `${url}/`,
    }),

    /** Verifies a logout token. Returns the session that has ended. */
    async endedSession (logoutToken: string): Promise<string> {
      const { jwks_uri: keys = '' } = (await discover()).serverMetadata()
      const { payload } = await jwtVerify(logoutToken, createRemoteJWKSet(new URL(keys)), {
        issuer,
        audience: clientId,
        typ: 'logout+jwt',
        requiredClaims: ['iat', 'jti', 'sid'],
      })
      const { events, sid } = payload as { events?: Record<string, unknown>, sid: string }
      if (!events?.[LOGOUT_EVENT]) throw new Error('this is not a logout token')
      return sid
    },
  }
}

/** What Gatehouse answered, in one line. */
export function reasonOf (error: unknown): string {
  const { error: code, error_description: description, message, cause } =
    error as { error?: string, error_description?: string, message?: string, cause?: Error }
  if (code) return [code, description].filter(Boolean).join(': ')
  return [message, cause?.message].filter(Boolean).join(': ')
}
