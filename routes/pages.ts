import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AssetSchema, ChangePasswordPageSchema, FormerClientSchema, MailPageSchema, pageSchema, sectionSchema, StartPageSchema,
} from '../schemas/pages.ts'
import { NotFound } from '../src/errors.ts'
import { sendAsset } from '../src/site/assets.ts'
import type { Section } from '../src/site/renderer.ts'

/**
 * GET /, /login, /login/mail, /register, /verify-email, /reset-password, /dashboard with its sections, and /logout.
 * The pages contain nothing private: their scripts load it from the API.
 */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { config, lastProvider, pages, tokens } = app
  /** LOGIN_REDIRECT can be `/` where a reverse proxy sends that path to the application: then this is not reached. */
  const home = /^\/(?:[?#]|$)/.test(config.LOGIN_REDIRECT) ? '/dashboard' : config.LOGIN_REDIRECT

  app.get('/', { schema: StartPageSchema }, async function goToStart (request, reply) {
    // `*` is not a path, but the router takes it for this one.
    if (!request.raw.url?.startsWith('/')) throw new NotFound()
    return reply.redirect(tokens.accessOf(request) ? home : app.tourPath ?? '/login')
  })

  for (const name of pages.names) {
    app.get(`/${name}`, { schema: pageSchema(name) }, async function getPage (request, reply) {
      return pages.send(name, request, reply, { lastProvider: lastProvider.of(request) })
    })
  }

  app.get('/login/mail', { schema: MailPageSchema }, async function getMailPage (request, reply) {
    if (config.MAIL_SIGN_IN === 'off') return reply.redirect('/login')
    return pages.send('mail-sign-in', request, reply)
  })

  for (const [section, path] of Object.entries(pages.sections) as Array<[Section, string]>) {
    if (section === 'profile') continue
    app.get(path, { schema: sectionSchema(section) }, async function getSection (request, reply) {
      return pages.send('dashboard', request, reply, { section })
    })
  }

  app.get('/gatehouse/*', { schema: AssetSchema }, async function getAsset (request, reply) {
    const asset = pages.asset(request.params['*'])
    if (!asset) throw new NotFound()
    return sendAsset(asset, request, reply, asset)
  })

  /** Where the browser client was served before /gatehouse: applications may still import it from there. */
  app.get('/assets/client.js', { schema: FormerClientSchema }, async function goToClient (_request, reply) {
    return reply.redirect('/gatehouse/client.js', 308)
  })

  /** For password managers. @see https://w3c.github.io/webappsec-change-password-url/ */
  app.get('/.well-known/change-password', {
    schema: ChangePasswordPageSchema,
  }, async function goToChangePassword (_request, reply) {
    return reply.redirect('/dashboard#password')
  })
}

export default routes
