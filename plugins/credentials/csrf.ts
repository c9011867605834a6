import csrfProtection from '@fastify/csrf-protection'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../src/tokens/signing-keys.ts'
import { strictCookie } from './cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { csrf: ReturnType<typeof createCsrf> }
}

type Check = FastifyInstance['csrfProtection']

const COOKIE = '_csrf'

const cookieOptions = ({ config }: FastifyInstance) => ({ ...strictCookie(config.NODE_ENV === 'production'), signed: true })

function createCsrf (app: FastifyInstance, previous?: Check) {
  /** The plugin leaves a cookie of the previous secret as it is, and that ends with the secret. */
  function renewCookie (request: FastifyRequest, reply: FastifyReply) {
    const { renew, value } = request.unsignCookie(request.cookies[COOKIE] ?? '')
    if (renew && value) reply.setCookie(COOKIE, value, cookieOptions(app))
  }

  return {
    /** For `onRequest`, after `authenticate`: goes on with the token of the user who is signed in, or 403. */
    protect: previous ? either(previous, app.csrfProtection) : app.csrfProtection,

    issue (request: FastifyRequest, reply: FastifyReply): string {
      renewCookie(request, reply)
      return reply.generateCsrf({ userInfo: request.user.userId })
    },
  }
}

/** The plugin answers where it refuses: what the first one refuses goes on to the second instead. */
function either (first: Check, second: Check): Check {
  return function protect (request, reply, done) {
    first(request, Object.create(reply, { send: { value: () => second(request, reply, done) } }), done)
  }
}

async function protectWith (app: FastifyInstance, hmacKey: string, logLevel: 'warn' | 'debug'): Promise<Check> {
  await app.register(csrfProtection, {
    cookieKey: COOKIE,
    cookieOpts: cookieOptions(app),
    csrfOpts: { userInfo: true, hmacKey },
    getUserInfo: request => request.user.userId,
    // The header alone: no form of another site can set it, and the body has not been read yet.
    getToken: ({ headers }) => headers['x-csrf-token'] as string | undefined,
    logLevel,
  })
  return app.csrfProtection
}

export default fp(async function (app) {
  const [current, previous] = keysFor('csrf', app.config) as [string, string?]
  let checkPrevious: Check | undefined
  // In a context of its own, where nothing is issued.
  if (previous) await app.register(async own => { checkPrevious = await protectWith(own, previous, 'debug') })
  await protectWith(app, current, 'warn')
  app.decorate('csrf', createCsrf(app, checkPrevious))
}, { name: 'csrf', dependencies: ['cookies', 'tokens'] })
