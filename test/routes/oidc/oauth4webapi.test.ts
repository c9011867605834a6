// Sign-ins with oauth4webapi, which checks each response against its RFC. Machines and DPoP have files of their own.
import { exportJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import t, { type Test } from 'tap'
import type { PublicKey } from '../../../src/openid/application-keys.ts'
import { createUser } from '../../support/browser.ts'
import { allowDevice } from '../../support/openid/devices.ts'
import { CALLBACK, follow, startProvider } from '../../support/openid/provider.ts'

const HTTP = { [oauth.allowInsecureRequests]: true }

async function start (t: Test) {
  const provider = await startProvider(t)
  const issuer = new URL(provider.issuer)
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...HTTP })
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  return { ...provider, browser, server, user }
}

/** The error of OAuth in the response. */
const errorOf = (answer: Promise<unknown>) =>
  answer.then(() => undefined, (error: oauth.ResponseBodyError) => error.error)

t.test('a pushed request with a key, a bound code, refresh and revocation (RFC 9126, 7523, 9449, 7009)', async t => {
  const { addApplication, browser, server, user } = await start(t)
  const { privateKey, publicKey } = await oauth.generateKeyPair('ES256')
  const keys = [{ ...await exportJWK(publicKey), kid: 'a', alg: 'ES256', use: 'sig' } as unknown as PublicKey]
  const { id } = await addApplication({ keys })
  const client: oauth.Client = { client_id: id }
  const authentication = oauth.PrivateKeyJwt({ key: privateKey, kid: 'a' })
  const options = { DPoP: oauth.DPoP(client, await oauth.generateKeyPair('ES256')), ...HTTP }
  const [verifier, state, nonce] =
    [oauth.generateRandomCodeVerifier(), oauth.generateRandomState(), oauth.generateRandomNonce()]

  const pushed = await oauth.processPushedAuthorizationResponse(server, client,
    await oauth.pushedAuthorizationRequest(server, client, authentication, {
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    }, options))
  t.ok(pushed.expires_in <= 60)
  const query = new URLSearchParams({ client_id: id, request_uri: pushed.request_uri })
  const { location } = await follow(browser, `/oidc/auth?${query}`)
  const response = oauth.validateAuthResponse(server, client, location as URL, state)
  const tokens = await oauth.processAuthorizationCodeResponse(server, client,
    await oauth.authorizationCodeGrantRequest(
      server, client, authentication, response, CALLBACK, verifier, options),
    { expectedNonce: nonce, requireIdToken: true })
  t.match(oauth.getValidatedIdTokenClaims(tokens), { sub: user.id, email: user.email })
  t.equal(tokens.token_type, 'dpop')

  const refresh = async (token = '') => oauth.processRefreshTokenResponse(server, client,
    await oauth.refreshTokenGrantRequest(server, client, authentication, token, options))
  const next = await refresh(tokens.refresh_token)
  const readUser = async () => oauth.processUserInfoResponse(server, client, user.id,
    await oauth.userInfoRequest(server, client, next.access_token, options))
  t.match(await readUser(), { email: user.email })

  const revoke = async (token = '') =>
    oauth.processRevocationResponse(await oauth.revocationRequest(server, client, authentication, token, HTTP))
  await revoke(next.refresh_token)
  t.equal(await errorOf(refresh(next.refresh_token)), 'invalid_grant')
  await t.rejects(readUser(), { code: oauth.WWW_AUTHENTICATE_CHALLENGE }, 'the access token ends with it')
  await revoke('unknown')
})

t.test('a device (RFC 8628)', async t => {
  const { addApplication, browser, server, user } = await start(t)
  const { id } = await addApplication({ kind: 'public', redirectUris: [], device: true })
  const client: oauth.Client = { client_id: id }
  const started = await oauth.processDeviceAuthorizationResponse(server, client,
    await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: 'openid' }, HTTP))
  const ask = async () => oauth.processDeviceCodeResponse(server, client,
    await oauth.deviceCodeGrantRequest(server, client, oauth.None(), started.device_code, HTTP))
  t.equal(await errorOf(ask()), 'authorization_pending')
  t.equal(await errorOf(ask()), 'slow_down')
  await allowDevice(browser, started.user_code)
  t.match(oauth.getValidatedIdTokenClaims(await ask()), { sub: user.id })
})
