import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isSignedBy, readSignature, thumbprintOf, type DeviceKey } from '../../src/sessions/device-signature.ts'
import { signedClaims } from '../../src/sessions/signed-claims.ts'
import { InvalidRegistration } from '../../src/sessions/errors.ts'
import type { DeviceProof } from '../../src/sessions/session.ts'
import type { RefreshClaims } from './tokens.ts'

declare module 'fastify' {
  interface FastifyInstance { deviceBinding: ReturnType<typeof createDeviceBinding> }
}

/** A key of a device, and the session that it was made for. A proof of identity replaces the session, not the key. */
interface Binding { sid: string, jwk: DeviceKey }

/** What this browser last signed in to, in a cookie of its own. The key may not be known yet. */
interface LastSignIn { sid: string, jwk?: DeviceKey }

/** One refresh token of a session. */
interface TokenReference { sid: string, gen: number }

interface Proof extends TokenReference, DeviceProof { exp: number }

const REGISTRATION_PATH = '/api/auth/device'
const PROOF_PATH = '/api/auth/device/proof'
const REFRESH_PATH = '/api/auth/refresh'

/** Seconds in which the browser has to register a key after the sign-in. */
const REGISTRATION_LIFETIME = 300
/** Seconds for which a proof can be used, for one refresh token: long enough for a short outage of PostgreSQL. */
const PROOF_LIFETIME = 300
/** As `signedClaims` writes it: safe inside the quotes of a header. */
const IDENTIFIER = /^[\w.~+/-]{1,4096}$/

const secondsNow = () => Math.floor(Date.now() / 1000)
const headerOf = ({ headers }: FastifyRequest, name: string) => headers[name] as string | undefined

/**
 * Device Bound Session Credentials: the browser keeps a key on its device and signs a challenge before each refresh.
 * What is needed to check the signature is in what the browser sends, so that a proof needs no query.
 */
function createDeviceBinding (app: FastifyInstance) {
  const { config, metrics, sessionsStore, tokenCookies, tokens } = app
  const offers = signedClaims<{ sid: string, exp: number }>('device_registration', app)
  const bindings = signedClaims<Binding>('device_session', app)
  const lastSignIns = signedClaims<LastSignIn>('device_key', app)
  const challenges = signedClaims<TokenReference>('device_challenge', app)
  const proofs = signedClaims<Proof>('device_proof', app)
  const { hostname } = new URL(config.PUBLIC_URL)
  const countRegistration = metrics.counter(
    'gatehouse_device_registrations_total',
    'Keys of devices that browsers registered after a sign-in, or that were refused',
    { outcome: ['bound', 'refused'] }
  )
  const countProof = metrics.counter(
    'gatehouse_device_proofs_total',
    'Requests for a proof of a key: proved, challenged to sign, or ended because the key is of an earlier session',
    { outcome: ['proved', 'challenged', 'ended'] }
  )

  /** What the browser must keep: the key counts for refreshes alone, so that no page waits for a proof. */
  const sessionConfig = (identifier: string) => ({
    session_identifier: identifier,
    refresh_url: PROOF_PATH,
    scope: {
      include_site: false,
      scope_specification: [
        { type: 'exclude', domain: hostname, path: '/' },
        { type: 'include', domain: hostname, path: REFRESH_PATH },
      ],
    },
    credentials: [{ type: 'cookie', ...tokenCookies.proofCookie }],
    allowed_refresh_initiators: config.APP_ORIGINS.map(origin => new URL(origin).hostname),
  })

  /** The key that the browser names. The cookie is signed anew at each proof, and outlives a change of the secret. */
  function bindingOf (identifier: string, last?: LastSignIn): Binding | undefined {
    return bindings.read(identifier) ?? (last?.jwk ? { sid: last.sid, jwk: last.jwk } : undefined)
  }

  function challenge (reply: FastifyReply, token: TokenReference, identifier: string) {
    const id = IDENTIFIER.test(identifier) ? `;id="${identifier}"` : ''
    reply.code(403).header('secure-session-challenge', `"${challenges.write(token)}"${id}`)
    countProof({ outcome: 'challenged' })
  }

  return {
    /** Lets the browser register a key for a session that was just opened. Others ignore the header. */
    offer (reply: FastifyReply, sid: string) {
      if (config.DEVICE_BOUND_SESSIONS === 'off') return
      const offer = offers.write({ sid, exp: secondsNow() + REGISTRATION_LIFETIME })
      tokenCookies.setDevice(reply, lastSignIns.write({ sid }))
      reply.header(
        'secure-session-registration',
        `(ES256 RS256);path="${REGISTRATION_PATH}";challenge="${offer}"`
      )
    },

    /** Binds the session to the key of the browser. It comes without cookies after the callback of a provider. */
    async register (request: FastifyRequest, reply: FastifyReply) {
      const token = headerOf(request, 'secure-session-response')
      const { challenge, jwk } = readSignature(token)
      const offer = offers.read(challenge)
      const isValid = token && jwk && offer && offer.exp > secondsNow() && await isSignedBy(jwk, token)
      if (!isValid || !await sessionsStore.bind(offer.sid, await thumbprintOf(jwk))) {
        countRegistration({ outcome: 'refused' })
        throw new InvalidRegistration()
      }
      countRegistration({ outcome: 'bound' })
      tokenCookies.setDevice(reply, lastSignIns.write({ sid: offer.sid, jwk }))
      return sessionConfig(bindings.write({ sid: offer.sid, jwk }))
    },

    /**
     * Sets the cookie that a refresh needs if the key has signed the challenge for the present refresh token. Browsers
     * forget the key after any answer other than 200, 403 with a challenge, and 503.
     */
    async prove (request: FastifyRequest, reply: FastifyReply) {
      const identifier = (headerOf(request, 'sec-secure-session-id') ?? '').replace(/^"|"$/g, '')
      const last = lastSignIns.read(tokenCookies.device(request))
      const binding = bindingOf(identifier, last)
      const { sid, gen } = tokens.refreshOf(request) ?? { sid: binding?.sid ?? '', gen: -1 }

      // The key is of an earlier sign-in in this browser, which keeps it beside the present one.
      if (binding && last && binding.sid !== last.sid && binding.sid !== sid) {
        countProof({ outcome: 'ended' })
        return { continue: false }
      }

      const token = headerOf(request, 'secure-session-response')
      const signed = challenges.read(readSignature(token).challenge)
      const isPresent = signed?.sid === sid && signed.gen === gen
      if (!binding || !token || !isPresent || !await isSignedBy(binding.jwk, token)) {
        challenge(reply, { sid, gen }, identifier)
        return
      }
      const key = await thumbprintOf(binding.jwk)
      // In the order in which they were made: none is accepted after a later one.
      const id = `${Date.now()}.${randomBytes(9).toString('base64url')}`
      const proof = proofs.write({ id, sid, gen, key, exp: secondsNow() + PROOF_LIFETIME })
      tokenCookies.setProof(reply, proof, PROOF_LIFETIME)
      tokenCookies.setDevice(reply, lastSignIns.write(binding))
      countProof({ outcome: 'proved' })
    },

    /** The proof of a key for this refresh token. */
    proofOf (request: FastifyRequest, { sid, gen }: RefreshClaims): DeviceProof | undefined {
      const proof = proofs.read(tokenCookies.proof(request))
      const isValid = proof && proof.sid === sid && proof.gen === gen && proof.exp > secondsNow()
      return isValid ? proof : undefined
    },
  }
}

export default fp(async function (app) {
  app.decorate('deviceBinding', createDeviceBinding(app))
}, { name: 'device-binding', dependencies: ['cookies', 'metrics', 'sessions-store', 'tokens'] })
