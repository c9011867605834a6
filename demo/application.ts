import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { createApplicationClient, reasonOf, type Registered } from './application-client.ts'
import { APPLICATION_HEADERS, applicationPage } from './application-page.ts'
import { createVisitors, type Visitor } from './application-visitors.ts'

type Action = (visitor: Visitor, request: FastifyRequest) => Promise<string | void>

/** An application on another host, which signs users in with Gatehouse. */
export async function startApplication (registered: Registered) {
  const openid = createApplicationClient(registered)
  const visitors = createVisitors()
  const app = Fastify({ forceCloseConnections: true })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, body)
  )
  const note = (visitor: Visitor, text: string) => visitor.log.push({ at: new Date(), text })

  /** Runs an action for this browser, then opens the address that it returns, or the page. */
  const act = (action: Action) => async function (request: FastifyRequest, reply: FastifyReply) {
    const visitor = visitors.of(request.headers.cookie)
    const address = await action(visitor, request).catch(error => {
      note(visitor, `Gatehouse refused: ${reasonOf(error)}`)
    })
    return reply.header('set-cookie', visitors.keep(visitor)).redirect(address ?? '/', 303)
  }

  app.get('/', async ({ headers }, reply) => reply
    .headers(APPLICATION_HEADERS)
    .send(applicationPage(visitors.of(headers.cookie), registered.issuer)))

  app.get('/count', async ({ headers }) => String(visitors.of(headers.cookie).log.length))

  app.post('/sign-in', act(async visitor => {
    const { address, pending } = await openid.begin()
    visitor.pending = pending
    return address.href
  }))

  app.get('/callback', act(async (visitor, { url }) => {
    const { pending } = visitor
    if (!pending) return
    visitor.pending = undefined
    const tokens = await openid.finish(url, pending)
    const claims = tokens.claims()
    if (!claims) return
    visitors.renew(visitor)
    visitor.session = { claims, tokens }
    visitor.sid = String(claims.sid)
    note(visitor, 'Signed in: a code was exchanged for tokens.')
  }))

  app.post('/refresh', act(async visitor => {
    const { session } = visitor
    if (!session) return
    const tokens = await openid.refresh(session.tokens.refresh_token ?? '')
    visitor.session = { claims: tokens.claims() ?? session.claims, tokens }
    note(visitor, 'Refreshed: new access token, new refresh token.')
  }))

  app.post('/userinfo', act(async visitor => {
    const { session } = visitor
    if (!session) return
    session.user = await openid.userinfo(session.tokens.access_token, session.claims.sub)
    note(visitor, 'Asked for the user with the access token.')
  }))

  app.post('/sign-out', act(async visitor => {
    visitor.session = undefined
    note(visitor, 'Signed out here only. Gatehouse still knows you: the next sign-in asks for nothing.')
  }))

  app.post('/sign-out-everywhere', act(async visitor => {
    const idToken = visitor.session?.tokens.id_token
    visitor.session = undefined
    note(visitor, 'Signed out, and asked Gatehouse to sign you out (RP-initiated logout).')
    return idToken && (await openid.signOutAddress(idToken)).href
  }))

  app.post<{ Body: string }>('/backchannel-logout', async ({ body }, reply) => {
    reply.header('cache-control', 'no-store')
    const sid = await openid.endedSession(new URLSearchParams(body).get('logout_token') ?? '').catch(() => undefined)
    if (!sid) return reply.code(400).send({ error: 'invalid_request' })
    for (const visitor of visitors.withSession(sid)) {
      visitor.session = undefined
      visitor.sid = undefined
      note(visitor, 'A back-channel logout arrived: the session at Gatehouse has ended.')
    }
    return reply.send()
  })

  await app.listen({ host: '127.0.0.1', port: Number(new URL(registered.url).port) })
  return { url: registered.url, stop: () => app.close() }
}
