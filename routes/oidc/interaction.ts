import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { againFromHere, queryOf } from '../../src/openid/same-site-again.ts'
import { sendPage } from '../../src/openid/send-response.ts'
import { languageOf } from '../../src/site/language.ts'

const HIDDEN = { hide: true, params: Type.Object({ uid: Type.String({ maxLength: 100 }) }) }

/** The pages between a request of an application and its answer. */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  if (app.config.OPENID === 'off') return
  const { authenticate, csrf, openid, openidInteractions: interactions, pages } = app
  const config = { limit: 'openid' } as const

  /** The person can only begin again, at the application. */
  const sendExpired = (request: FastifyRequest, reply: FastifyReply) =>
    sendPage(reply.code(404), pages.openid.error(languageOf(request), { code: 'expired' }))

  app.get('/interaction/:uid', { schema: HIDDEN, config }, async function goOn (request, reply) {
    const interaction = await interactions.seek(request)
    if (!interaction) return sendExpired(request, reply)
    // From a provider, the browser returns without the Strict cookies.
    const again = await openid.signedIn(request) ? undefined : againFromHere(request, reply, queryOf(request))
    if (again) return again
    const step = await interactions.next(request, interaction)
    if ('redirect' in step) return reply.redirect(step.redirect, 303)
    return pages.send('consent', request, reply)
  })

  app.get('/interaction/:uid/confirm', { schema: HIDDEN, config }, async function confirm (request, reply) {
    if (!await interactions.seek(request)) return sendExpired(request, reply)
    return pages.send('confirm', request, reply)
  })

  app.get('/interaction/:uid/request', { schema: HIDDEN, config }, async function describe (request) {
    return interactions.describe(request, await interactions.find(request))
  })

  app.post('/interaction/:uid', {
    schema: { ...HIDDEN, body: Type.Object({ allow: Type.Boolean() }, { additionalProperties: false }) },
    config,
    onRequest: [authenticate, csrf.protect],
  }, async function decide (request) {
    return { next: await interactions.decide(request, await interactions.find(request), request.body.allow) }
  })
}

export default routes
