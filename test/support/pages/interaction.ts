import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { NotFound } from '../../../src/errors.ts'
import { languageOf } from '../../../src/site/language.ts'

/** What an application asks for. */
export const ASKED = {
  prompt: 'consent',
  application: {
    id: '8a5b7e0c-1d1f-4c55-9d3a-0f6b3a1f2c11', name: 'Photo Album', host: 'photos.example', trusted: false,
  },
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  resources: [{
    uri: 'https://api.photos.example/prints',
    description: 'Prints of your photos',
    scopes: [
      { name: 'prints:read', description: 'See what you have ordered' },
      { name: 'prints:write', description: 'Order prints and cancel them' },
    ],
  }],
  secondFactor: false,
}

type Asked = typeof ASKED & { application: { unverified?: { document: string | null, onDevice: boolean } } }

/** What a device asks for, whose code the user has entered. */
const DEVICE = {
  code: 'WDJB-MJHT',
  application: ASKED.application.name,
  scopes: ASKED.scopes,
  resources: ASKED.resources,
  address: '198.51.100.23',
  agent: 'Safari on iOS',
}

const PATH = '/oidc/interaction/:uid'

const LONG_NAMES = { name: 'A rather long name of an application', host: `${'long.'.repeat(12)}example` }
/** What an application with long names asks for. */
export const ASKED_AT_LENGTH = { ...ASKED, application: { ...ASKED.application, ...LONG_NAMES } }

/** The pages that `serveInteraction` serves. */
export const OPENID_PAGES = [
  '/oidc/interaction/abc',
  '/oidc/interaction/abc/confirm',
  '/oidc/page/logout?action=/&xsrf=x',
  '/oidc/page/signedOut',
  '/oidc/page/device?xsrf=x&typed=ABCD&problem=NotFoundError',
  '/oidc/page/deviceConfirm?xsrf=x&forOperators=yes',
  '/oidc/page/deviceDone',
  `/oidc/page/error?code=invalid_redirect_uri&description=${'x'.repeat(100)}`,
  '/oidc/page/error?code=unavailable',
]

/**
 * The pages of the OpenID provider, without an application: each request is that of `current`, and what the user
 * answers is kept. `after`: where an answered request leads.
 */
export function serveInteraction (app: FastifyInstance) {
  const state = {
    current: ASKED as Asked | undefined,
    answers: [] as unknown[],
    forms: [] as unknown[],
    after: '/health',
  }
  const authenticate: onRequestHookHandler = (request, reply, done) => app.authenticate(request, reply, done)
  const protect: onRequestHookHandler = (request, reply, done) => app.csrf.protect(request, reply, done)
  const requireLive = (request: FastifyRequest) => app.sessions.requireLive(request)
  function readAsked (): Asked {
    if (!state.current) throw new NotFound()
    return state.current
  }

  app.register(async function interaction (app) {
    for (const [path, name] of [['', 'consent'], ['/confirm', 'confirm']] as const) {
      app.get(PATH + path, async (request, reply) => app.pages.send(name, request, reply))
    }
    app.get(`${PATH}/request`, { onRequest: [authenticate, requireLive] }, async ({ user: { userId } }) => {
      const { username, email, name } = await app.users.findById(userId) ?? {}
      return { ...readAsked(), account: { username, email, name } }
    })
    app.post(PATH, { onRequest: [authenticate, protect] }, async ({ body }) => {
      readAsked()
      state.answers.push(body)
      return { next: new URL(state.after, app.config.PUBLIC_URL) }
    })
    const formType = 'application/x-www-form-urlencoded'
    app.addContentTypeParser(formType, { parseAs: 'string' }, async (_: unknown, body: string) =>
      Object.fromEntries(new URLSearchParams(body)))
    app.post('/oidc/answered', async ({ body }, reply) => {
      state.forms.push(body)
      return reply.redirect(state.after, 303)
    })
    app.get('/oidc/page/:name', async (request, reply) => {
      const { name } = request.params as { name: keyof typeof app.pages.openid }
      reply.type('text/html; charset=utf-8')
      const values = { ...name.startsWith('device') && DEVICE, ...request.query as object }
      return app.pages.openid[name](languageOf(request), values as never)
    })
  })
  return state
}
