import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptForms, formOf } from '../../src/openid/bodies.ts'
import { againFromHere, queryOf } from '../../src/openid/same-site-again.ts'
import { goOnWithOther, sendResponse } from '../../src/openid/send-response.ts'

/** Offline access needs the question for consent, which a consent that was given before answers. */
function askForOffline (request: FastifyRequest) {
  const query = queryOf(request)
  if (query.has('prompt') || !query.get('scope')?.split(' ').includes('offline_access')) return
  query.set('prompt', 'consent')
  request.raw.url = `${request.url.split('?')[0]}?${query}`
}

/** Where an application sends a browser to sign in, and where the browser returns to from our pages. */
export default async function (app: FastifyInstance) {
  if (app.config.OPENID === 'off') return
  const { openid } = app
  const options = { schema: { hide: true }, config: { limit: 'openid', isForOtherSites: true } } as const

  acceptForms(app)

  async function authorize (request: FastifyRequest, reply: FastifyReply) {
    const found = await openid.signedIn(request)
    const again = found ? undefined : againFromHere(request, reply, queryOf(request))
    if (again) return again
    const visit = await openid.visit(request, reply, found?.mustEnrol ? undefined : found?.session)
    return goOnWithOther(visit, reply) ?? sendResponse(visit, request, reply)
  }

  app.get('/auth', options, async function begin (request, reply) {
    askForOffline(request)
    return authorize(request, reply)
  })

  app.get('/auth/:uid', options, authorize)

  // A form of another site: the same parameters in a navigation of our own.
  app.post('/auth', options, async function navigate (request, reply) {
    const query = formOf(request)
    return againFromHere(request, reply, query) ?? reply.redirect(`/oidc/auth?${query}`, 303)
  })
}
