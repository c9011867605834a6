import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { BRAND_B } from './brands.ts'
import { consentPage, readConsent, type Consent, type Registration } from './consent.ts'
import { delayResponse, MISBEHAVIOURS_OF_B, type Misbehaviour } from './misbehaviour.ts'
import { PAGE_HEADERS, errorPage } from './page.ts'

const CODE_LIFETIME_MS = 600_000

type Fields = Partial<Record<string, string>>

/** The error messages are GitHub's. */
const oauthError = (error: string, description: string) => ({
  error,
  error_description: description,
  error_uri: `https://docs.github.com/apps/oauth-apps/#${error.replaceAll('_', '-')}`,
})
const ACCESS_DENIED = oauthError('access_denied', 'The user has denied your application access.')
const WRONG_CLIENT = oauthError(
  'incorrect_client_credentials',
  'The client_id and/or client_secret passed are incorrect.'
)
const WRONG_REDIRECT = oauthError(
  'redirect_uri_mismatch',
  'The redirect_uri MUST match the registered callback URL for this application.'
)
const WRONG_CODE = oauthError('bad_verification_code', 'The code passed is incorrect or expired.')
const WRONG_CHALLENGE = oauthError('invalid_request', 'The code_challenge_method must be S256.')

export interface Grant extends Consent { scopes: string[] }

interface Options {
  url: string
  client: Registration
  tokens: Map<string, Grant>
  provider: { misbehave?: Misbehaviour, exchanges: number }
}

export function addOAuthRoutes (app: FastifyInstance, { url, client, tokens, provider }: Options) {
  const codes = new Map<string, Grant & { challenge?: string, expiresAt: number }>()

  app.route<{ Querystring: Fields, Body: string }>({
    method: ['GET', 'POST'],
    url: '/login/oauth/authorize',
    async handler ({ query, method, body, url: action }, reply) {
      if (query.client_id !== client.clientId) {
        return reply.code(404).headers(PAGE_HEADERS).send(errorPage(BRAND_B, 'Unknown client id.'))
      }
      const error = findError(query)
      if (error) return reply.redirect(callback(query.state, error))
      if (method === 'GET') {
        return reply.headers(PAGE_HEADERS).send(consentPage({
          theme: BRAND_B,
          clientId: client.clientId,
          action,
          misbehaviours: MISBEHAVIOURS_OF_B,
          misbehave: provider.misbehave,
        }))
      }
      const consent = readConsent(new URLSearchParams(body), MISBEHAVIOURS_OF_B)
      const state = consent?.misbehaviour === 'wrong-state' ? randomBytes(16).toString('hex') : query.state
      return reply.redirect(callback(state, consent ? { code: grantCode(consent, query) } : ACCESS_DENIED))
    },
  })

  function findError ({ redirect_uri: redirectUri, code_challenge: challenge, code_challenge_method: method }: Fields) {
    if (redirectUri !== undefined && redirectUri !== client.redirectUri) return WRONG_REDIRECT
    if (challenge && method !== 'S256') return WRONG_CHALLENGE
  }

  function callback (state: string | undefined, fields: Fields): string {
    const target = new URL(client.redirectUri)
    const parameters = { ...fields, state, iss: `${url}/login/oauth` }
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) target.searchParams.set(name, value)
    }
    return target.href
  }

  function grantCode (consent: Consent, { scope = '', code_challenge: challenge }: Fields): string {
    const code = randomBytes(10).toString('hex')
    const scopes = scope.split(/[\s,]+/).filter(Boolean)
    codes.set(code, { ...consent, scopes, challenge, expiresAt: Date.now() + CODE_LIFETIME_MS })
    return code
  }

  app.post<{ Body: string | Record<string, string> }>('/login/oauth/access_token', async (request, reply) => {
    provider.exchanges++
    const fields = new URLSearchParams(request.body ?? '')
    const code = fields.get('code') ?? ''
    const misbehaviour = codes.get(code)?.misbehaviour
    const result = exchange(code, fields, request.headers.authorization)
    if (misbehaviour === 'slow-token') await delayResponse(request.raw.socket)
    if (misbehaviour === 'token-500') {
      return reply.code(500).headers(PAGE_HEADERS).send(errorPage(BRAND_B, 'Internal Server Error'))
    }
    if (request.headers.accept?.includes('json')) return result
    return reply.type('application/x-www-form-urlencoded; charset=utf-8').send(new URLSearchParams(result).toString())
  })

  function exchange (code: string, fields: URLSearchParams, authorization?: string): Record<string, string> {
    if (!isClient(fields, authorization)) return WRONG_CLIENT
    const grant = codes.get(code)
    codes.delete(code)
    if (!grant || grant.expiresAt < Date.now()) return WRONG_CODE
    if (!isVerified(grant.challenge, fields.get('code_verifier'))) return WRONG_CODE
    if ((fields.get('redirect_uri') ?? client.redirectUri) !== client.redirectUri) return WRONG_REDIRECT
    if (grant.misbehaviour === 'error-in-200') return WRONG_CODE
    const token = `gho_${randomBytes(18).toString('hex')}`
    tokens.set(token, grant)
    return { access_token: token, token_type: 'bearer', scope: grant.scopes.join(',') }
  }

  function isClient (fields: URLSearchParams, authorization = ''): boolean {
    const [id, secret] = authorization.startsWith('Basic ')
      ? Buffer.from(authorization.slice(6), 'base64').toString().split(':').map(decodeURIComponent)
      : [fields.get('client_id'), fields.get('client_secret')]
    return id === client.clientId && secret === client.clientSecret
  }
}

function isVerified (challenge: string | undefined, verifier: string | null): boolean {
  return !challenge || (verifier !== null && createHash('sha256').update(verifier).digest('base64url') === challenge)
}
