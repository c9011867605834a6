import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { consentPage, readConsent, type Consent, type Registration } from './consent.ts'
import { dawdle, MISBEHAVIOURS_OF_B, type Misbehaviour } from './misbehaviour.ts'
import { PAGE_HEADERS, refusalPage } from './page.ts'

const LOOK = { title: 'Demo provider B', accent: '#15803d' }
const TEN_MINUTES = 600_000

type Fields = Partial<Record<string, string>>
interface Query { Querystring: Fields }

export interface Grant extends Consent { scopes: string[] }
interface Code extends Grant { redirectUri: string, challenge?: string, expiresAt: number }

interface Endpoints extends Registration {
  url: string
  tokens: Map<string, Grant>
  provider: { misbehave?: Misbehaviour, exchanges: number }
}

/** Provider B's /login/oauth, word for word as GitHub answers. */
export function addOAuthRoutes (app: FastifyInstance, { url, clientId, clientSecret, redirectUri, tokens, provider }: Endpoints) {
  const codes = new Map<string, Code>()

  function backToClient (query: Fields, fields: Record<string, string>): string {
    const callback = new URL(redirectUri)
    const state = query.state === undefined ? {} : { state: query.state }
    for (const [name, value] of Object.entries({ ...state, ...fields, iss: `${url}/login/oauth` })) callback.searchParams.set(name, value)
    return callback.href
  }

  function problemWith (query: Fields): Record<string, string> | undefined {
    if ((query.redirect_uri ?? redirectUri) !== redirectUri) return REDIRECT_MISMATCH
    if (query.code_challenge && query.code_challenge_method !== 'S256') return { error: 'invalid_request', error_description: 'The code_challenge_method must be S256.' }
  }

  app.route<Query & { Body: string }>({
    method: ['GET', 'POST'],
    url: '/login/oauth/authorize',
    async handler ({ query, body, method, raw }, reply) {
      if (query.client_id !== clientId) return reply.code(404).headers(PAGE_HEADERS).send(refusalPage(LOOK, 'No application has this client id.'))
      const problem = problemWith(query)
      if (problem) return reply.redirect(backToClient(query, problem))
      if (method === 'GET') {
        return reply.headers(PAGE_HEADERS).send(consentPage({ look: LOOK, clientId, action: raw.url ?? '', misbehaviours: MISBEHAVIOURS_OF_B, misbehave: provider.misbehave }))
      }
      const consent = readConsent(new URLSearchParams(body), MISBEHAVIOURS_OF_B)
      return reply.redirect(backToClient(query, consent ? grantCode(query, consent) : ACCESS_DENIED))
    },
  })
}
