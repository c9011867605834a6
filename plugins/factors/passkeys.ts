import type {
  AuthenticationResponseJSON, PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON, WebAuthnCredential,
} from '@simplewebauthn/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import { reasonOf } from '../../src/observability/error-reason.ts'
import { createUnknownCredential, requireNoCertificates } from '../../src/factors/credentials.ts'
import { CHALLENGE_LIFETIME, createChallenges } from '../../src/factors/challenges.ts'
import type { NewPasskey, Passkey } from '../records/factors/passkeys-store.ts'
import type { User } from '../records/accounts/users.ts'
import { strictCookie } from '../sessions/cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { passkeys: ReturnType<typeof createPasskeys> }
}

const TIMEOUT = CHALLENGE_LIFETIME * 1_000
/** EdDSA, ES256 and RS256. */
const ALGORITHMS = { supportedAlgorithmIDs: [-8, -7, -257] }

/** Loaded at the first use: it takes longer than the rest of the start. */
const library = () => import('@simplewebauthn/server')

/** The ceremonies of WebAuthn. User verification is always required, so that a passkey counts as two factors. */
function createPasskeys (app: FastifyInstance) {
  const { config, passkeysStore } = app
  const challenges = createChallenges({
    attributes: strictCookie(config.NODE_ENV === 'production'),
    use: passkeysStore.useChallenge,
  })
  const { hostname: rpID } = new URL(config.PUBLIC_URL)
  /** The page that asked must be one of the listener that got the request. */
  const expectedOf = ({ server }: FastifyRequest) => ({
    expectedOrigin: new URL(server.config.PUBLIC_URL).origin,
    expectedRPID: rpID,
    requireUserVerification: true,
  })
  let unknownCredential: Promise<WebAuthnCredential> | undefined

  /** The counter is compared when it is stored, so that two answers at once cannot both pass. */
  const asCredential = ({ credentialId, publicKey }: Passkey): WebAuthnCredential =>
    ({ id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 })

  return {
    async requestOptions (
      request: FastifyRequest,
      reply: FastifyReply
    ): Promise<PublicKeyCredentialRequestOptionsJSON> {
      const { generateAuthenticationOptions } = await library()
      const challenge = challenges.issue(request, reply, 'use')
      return generateAuthenticationOptions({ rpID, challenge, timeout: TIMEOUT, userVerification: 'required' })
    },

    async creationOptions (
      { id, username, name }: User,
      handle: Buffer,
      existing: Passkey[],
      request: FastifyRequest,
      reply: FastifyReply
    ): Promise<PublicKeyCredentialCreationOptionsJSON> {
      const { generateRegistrationOptions } = await library()
      return generateRegistrationOptions({
        ...ALGORITHMS,
        rpID,
        rpName: config.BRAND_NAME,
        userID: new Uint8Array(handle),
        userName: username,
        userDisplayName: name ?? username,
        challenge: challenges.issue(request, reply, `add-${id}`),
        timeout: TIMEOUT,
        attestationType: 'none',
        excludeCredentials: existing.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
    },

    /** The new passkey of a user, or undefined if it is refused. The reason is logged. */
    async verifyNew (
      userId: string,
      response: RegistrationResponseJSON,
      request: FastifyRequest
    ): Promise<NewPasskey | undefined> {
      try {
        const { verifyRegistrationResponse } = await library()
        await requireNoCertificates(response)
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          ...expectedOf(request),
          ...ALGORITHMS,
          response,
          expectedChallenge: challenge => challenges.accept(request, `add-${userId}`, challenge),
        })
        if (!verified) throw new Error('the response could not be verified')
        const { credential, credentialBackedUp, credentialDeviceType } = registrationInfo
        return {
          credentialId: credential.id,
          publicKey: credential.publicKey,
          counter: credential.counter,
          transports: response.response.transports ?? [],
          deviceType: credentialDeviceType,
          backedUp: credentialBackedUp,
        }
      } catch (error) {
        return refuse(request, error)
      }
    },

    /** The owner of a passkey that was just used in this browser, or undefined if it is refused. */
    async verify (response: AuthenticationResponseJSON, request: FastifyRequest): Promise<User | undefined> {
      const { passkey, owner } = await passkeysStore.find(response.id)
      try {
        const { verifyAuthenticationResponse } = await library()
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...expectedOf(request),
          response,
          credential: passkey ? asCredential(passkey) : await (unknownCredential ??= createUnknownCredential()),
          expectedChallenge: challenge => challenges.accept(request, 'use', challenge),
        })
        if (!verified) throw new Error('the signature is wrong')
        if (!passkey || !owner || response.response.userHandle !== owner.handle.toString('base64url')) {
          throw new Error('the user handle is not that of the owner')
        }
        const { newCounter, credentialBackedUp } = authenticationInfo
        if (!await passkeysStore.use(passkey.credentialId, newCounter, credentialBackedUp)) {
          throw new Error('the counter went back, or the passkey was removed')
        }
        return owner
      } catch (error) {
        return refuse(request, error)
      }
    },
  }
}

/** An outage is no refusal. The messages of the library quote the response: only their first words are logged. */
function refuse (request: FastifyRequest, error: unknown): undefined {
  if (error instanceof HttpError) throw error
  request.log.info({ reason: reasonOf(error).slice(0, 60) }, 'passkey refused')
}

export default fp(async function (app) {
  app.decorate('passkeys', createPasskeys(app))
}, { name: 'passkeys', dependencies: ['cookies', 'passkeys-store'] })
