import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Misbehaviour } from './misbehaviour.ts'
import type { Grant } from './provider-b-oauth.ts'

interface Email { email: string, primary: boolean, verified: boolean, visibility: 'public' | 'private' | null }

const NO_USER_AGENT = 'Request forbidden by administrative rules. ' +
  'Please make sure your request has a User-Agent header.'
const docs = { documentation_url: 'https://docs.github.com/rest' }
const HIDING: Array<Misbehaviour | undefined> = ['no-email', 'email-only-in-list', 'private-email']

/** Provider B's /user and /user/emails, with the responses of GitHub's API. */
export function addApiRoutes (app: FastifyInstance, url: string, tokens: Map<string, Grant>) {
  const grants = new WeakMap<FastifyRequest, Grant>()

  async function authenticate (request: FastifyRequest, reply: FastifyReply) {
    const { 'user-agent': userAgent, authorization } = request.headers
    if (!userAgent) return reply.code(403).send(NO_USER_AGENT)
    const token = authorization?.match(/^(?:Bearer|token) (\S+)$/i)?.[1]
    if (!token) return reply.code(401).send({ message: 'Requires authentication', ...docs, status: '401' })
    const grant = tokens.get(token)
    if (!grant) return reply.code(401).send({ message: 'Bad credentials', ...docs, status: '401' })
    grants.set(request, grant)
    reply.header('x-oauth-scopes', grant.scopes.join(', '))
  }

  app.get('/user', { onRequest: authenticate }, async (request, reply) => {
    const { person, misbehaviour } = grants.get(request) as Grant
    if (misbehaviour === 'userinfo-reset') {
      reply.hijack()
      request.raw.socket.resetAndDestroy()
      return
    }
    const { id, login, name, email } = person
    return {
      login,
      id,
      node_id: Buffer.from(`04:User${id}`).toString('base64'),
      type: 'User',
      name,
      email: HIDING.includes(misbehaviour) ? null : email,
    }
  })

  type EmailsRoute = { Querystring: Record<string, string> }
  app.get<EmailsRoute>('/user/emails', { onRequest: authenticate }, async (request, reply) => {
    const grant = grants.get(request) as Grant
    if (!grant.scopes.some(scope => scope === 'user:email' || scope === 'user')) {
      return reply.code(404).send({ message: 'Not Found', ...docs, status: '404' })
    }
    const emails = emailsOf(grant)
    const perPage = Math.min(Number(request.query.per_page) || 30, 100)
    const page = Number(request.query.page) || 1
    const last = Math.ceil(emails.length / perPage)
    const link = (to: number, rel: string) => `<${url}/user/emails?per_page=${perPage}&page=${to}>; rel="${rel}"`
    const links = [
      ...page > 1 ? [link(page - 1, 'prev'), link(1, 'first')] : [],
      ...page < last ? [link(page + 1, 'next'), link(last, 'last')] : [],
    ]
    if (links.length > 0) reply.header('link', links.join(', '))
    return emails.slice((page - 1) * perPage, page * perPage)
  })
}

/** Always includes a verified address that is not primary, which the service must not use. */
function emailsOf ({ person: { id, login, email }, misbehaviour }: Grant): Email[] {
  if (!email || misbehaviour === 'no-email') return []
  const primary: Email = {
    email,
    primary: true,
    verified: misbehaviour !== 'unverified-email',
    visibility: HIDING.includes(misbehaviour) ? 'private' : 'public',
  }
  const other = (email: string): Email => ({ email, primary: false, verified: true, visibility: null })
  const length = misbehaviour === 'private-email' ? 32 : 0
  const others = Array.from({ length }, (_, index) => other(`${login}+${index + 1}@example.com`))
  return [other(`${id}+${login}@users.noreply.example.com`), ...others, primary]
}
