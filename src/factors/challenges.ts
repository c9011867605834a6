import { randomBytes } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { digest } from '../secrets/digest.ts'
import { signedCookie } from '../sessions/signed-cookie.ts'

/** To use a passkey, or to add one to the account with this id. */
export type Purpose = 'use' | `add-${string}`

interface Challenge { purpose: string, value: string, expiresAt: number }

interface Options {
  attributes: CookieSerializeOptions
  /** Returns false if the challenge was used before. Atomic: only one concurrent caller succeeds. */
  use (digest: Buffer, expiresAt: number): Promise<boolean>
}

const COOKIE = 'passkey_challenge'
/** In seconds. */
export const CHALLENGE_LIFETIME = 5 * 60
/** A browser may have the sign-in page open in several tabs. */
const MAX_CHALLENGES = 4

/** Challenges that a browser got. Only its signed cookie knows them: `purpose.value.expiry.purpose…`. */
export function createChallenges ({ attributes, use }: Options) {
  const cookieOf = ({ cookieScope: { prefix, path } }: FastifyInstance) =>
    signedCookie(prefix + COOKIE, { ...attributes, path, maxAge: CHALLENGE_LIFETIME })

  function read (request: FastifyRequest): Challenge[] {
    const fields = cookieOf(request.server).read(request)?.split('.') ?? []
    const challenges: Challenge[] = []
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const [purpose, challenge, expiry] = fields.slice(at, at + 3) as [string, string, string]
      challenges.push({ purpose, value: challenge, expiresAt: Number(expiry) })
    }
    return challenges.filter(({ expiresAt }) => expiresAt > secondsNow())
  }

  return {
    issue (request: FastifyRequest, reply: FastifyReply, purpose: Purpose): Uint8Array<ArrayBuffer> {
      const challenge = new Uint8Array(randomBytes(32))
      const issued: Challenge = {
        purpose,
        value: Buffer.from(challenge).toString('base64url'),
        expiresAt: secondsNow() + CHALLENGE_LIFETIME,
      }
      const challenges = [issued, ...read(request)].slice(0, MAX_CHALLENGES)
      const value = challenges.flatMap(({ purpose, value, expiresAt }) => [purpose, value, expiresAt]).join('.')
      cookieOf(request.server).write(reply, value)
      return challenge
    },

    /** Whether this browser got the challenge for this purpose within its lifetime, and it was not used before. */
    async accept (request: FastifyRequest, purpose: Purpose, value: string): Promise<boolean> {
      const found = read(request).find(challenge => challenge.value === value && challenge.purpose === purpose)
      return found !== undefined && use(digest(value), found.expiresAt)
    },
  }
}

function secondsNow (): number {
  return Math.floor(Date.now() / 1_000)
}
