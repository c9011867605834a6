import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Visit } from '../../plugins/openid/openid.ts'
import { acceptForms, formOf, leaveBody } from '../../src/openid/bodies.ts'
import { againFromHere, queryOf } from '../../src/openid/same-site-again.ts'
import { sendPage, sendResponse } from '../../src/openid/send-response.ts'
import { sessionIdFor } from '../../src/openid/session-id.ts'
import { languageOf } from '../../src/site/language.ts'

/** What the provider remembers of a sign-out that an application began. */
interface SignOut { secret: string, clientId?: string, state?: string, postLogoutRedirectUri?: string }

/** The application that asks got an ID token in this very session: it need not be asked whether it may. */
function isOfThisSession ({ ctx, session }: Visit): boolean {
  const { payload } = ctx?.oidc.entities.IdTokenHint ?? {}
  const { clientId } = ctx?.oidc.client ?? {}
  return session !== undefined && clientId !== undefined &&
    payload?.sub === session.userId && payload.sid === sessionIdFor(clientId, session.firstId)
}

/** Back to the application, if it has said where. */
function addressAfter ({ postLogoutRedirectUri, state }: SignOut): string {
  if (!postLogoutRedirectUri) return '/oidc/logout/success'
  const address = new URL(postLogoutRedirectUri)
  if (state !== undefined) address.searchParams.set('state', state)
  return address.href
}

/** Sign-out that an application began: OpenID Connect RP-Initiated Logout 1.0. */
export default async function (app: FastifyInstance) {
  if (app.config.OPENID === 'off') return
  const { openid, pages, sessions } = app
  const fromApplication = { schema: { hide: true }, config: { limit: 'openid', isForOtherSites: true } } as const

  acceptForms(app)

  app.get('/logout', fromApplication, async function begin (request, reply) {
    const found = await openid.signedIn(request)
    const again = found ? undefined : againFromHere(request, reply, queryOf(request))
    if (again) return again
    const visit = await openid.visit(request, reply, found?.session)
    const signOut = visit.ctx?.oidc?.session?.state as SignOut | undefined
    if (visit.error || !signOut) return sendResponse(visit, request, reply)
    if (found && !isOfThisSession(visit)) return ask(visit, signOut, request, reply)
    // Without a session, other sites could remove the cookies: a navigation that they began comes without them.
    if (found) await sessions.close(request, reply)
    return reply.redirect(addressAfter(signOut), 303)
  })

  async function ask (visit: Visit, { secret }: SignOut, request: FastifyRequest, reply: FastifyReply) {
    const application = visit.ctx?.oidc.client?.clientName
    const html = pages.openid.logout(languageOf(request), { action: '/oidc/logout/confirm', xsrf: secret, application })
    return sendPage(reply, html)
  }

  app.post('/logout', fromApplication, async function navigate (request, reply) {
    const query = formOf(request)
    return againFromHere(request, reply, query) ?? reply.redirect(`/oidc/logout?${query}`, 303)
  })

  app.get('/logout/success', fromApplication, async function finish (request, reply) {
    return sendPage(reply, pages.openid.signedOut(languageOf(request), {}))
  })

  app.register(async function (app) {
    leaveBody(app)

    app.post('/logout/confirm', { schema: { hide: true }, config: { limit: 'openid' } }, async function confirm (
      request,
      reply
    ) {
      const found = await openid.signedIn(request)
      const visit = await openid.visit(request, reply, found?.session)
      const { destroyed } = (visit.ctx?.oidc?.session ?? {}) as { destroyed?: boolean }
      if (destroyed) await sessions.close(request, reply)
      return sendResponse(visit, request, reply)
    })
  })
}
