import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Visit } from '../../plugins/openid/openid.ts'
import { NotFound } from '../../src/errors.ts'
import { leaveBody } from '../../src/openid/bodies.ts'
import { COMMAND_LINE } from '../../src/openid/command-line.ts'
import { againFromHere, queryOf } from '../../src/openid/same-site-again.ts'
import { describeScopes, requestedScopes } from '../../src/openid/scopes.ts'
import { goOnWithOther, sendPage, sendResponse } from '../../src/openid/send-response.ts'
import { deviceName } from '../../src/sessions/device-name.ts'
import { languageOf } from '../../src/site/language.ts'

/** Longer than any code. */
const MAX_CODE = 40

/** Where a user enters the code that a television or a command line shows: RFC 8628. */
export default async function (app: FastifyInstance) {
  if (app.config.OPENID === 'off') return
  const { config, deviceSignIn, findApplication, openid, pages } = app
  const options = { schema: { hide: true }, config: { limit: 'openid' } } as const

  /** The user signs in first, or adds a second factor where one is required. */
  async function whoIs (request: FastifyRequest, reply: FastifyReply) {
    const found = await openid.signedIn(request)
    if (found && !found.mustEnrol) return { session: found.session }
    const again = found ? undefined : againFromHere(request, reply, queryOf(request))
    const next = new URLSearchParams({ next: request.url.replace(/[?&]same_site=1$/, '') })
    return { away: again ?? reply.redirect(`/${found ? 'dashboard' : 'login'}?${next}`, 303) }
  }

  async function show (visit: Visit, request: FastifyRequest, reply: FastifyReply, typed = '') {
    const { ctx, device } = visit
    const elsewhere = device ? undefined : goOnWithOther(visit, reply)
    if (elsewhere) return elsewhere
    if (!device || visit.error) return sendResponse(visit, request, reply)
    const { secret: xsrf = '' } = (ctx?.oidc.session?.state ?? {}) as { secret?: string }
    const language = languageOf(request)
    if (device.page === 'done') return sendPage(reply, pages.openid.deviceDone(language, device))
    if (device.page === 'enter') {
      return sendPage(reply, pages.openid.device(language, { xsrf, typed, problem: device.problem }))
    }
    const { asked, code, clientId, from: { ip, userAgent } } = device
    const application = await findApplication(clientId)
    if (!application) throw new NotFound()
    return sendPage(reply, pages.openid.deviceConfirm(language, {
      xsrf,
      code,
      application: application.name,
      ...describeScopes(requestedScopes(asked, application.resources, config), config.resources),
      forOperators: clientId === COMMAND_LINE.id,
      address: ip,
      agent: deviceName(userAgent),
    }))
  }

  leaveBody(app)

  app.get('/device', options, async function askForCode (request, reply) {
    const { session, away } = await whoIs(request, reply)
    if (!session) return away
    const typed = queryOf(request).get('user_code')?.slice(0, MAX_CODE)
    // The provider would take a code in the link for one that the user has entered.
    request.raw.url = '/oidc/device'
    return show(await deviceSignIn.visit(request, reply, session), request, reply, typed)
  })

  app.post('/device', options, async function enterCode (request, reply) {
    const { session, away } = await whoIs(request, reply)
    return session ? show(await deviceSignIn.enter(request, reply, session), request, reply) : away
  })

  app.get('/device/:uid', options, async function goOn (request, reply) {
    const { session, away } = await whoIs(request, reply)
    return session ? show(await deviceSignIn.visit(request, reply, session), request, reply) : away
  })
}
