import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PAGE_NAMES } from '../plugins/pages.ts'
import { AssetSchema, ChangePasswordPageSchema, PageSchema } from '../schemas/pages.ts'
import { NotFound } from '../src/errors.ts'

/** GET /login, /register, /verify-email, /reset-password and /dashboard: they hold nothing private, their scripts ask for that. */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { pages } = app

  for (const name of PAGE_NAMES) {
    app.get(`/${name}`, { schema: PageSchema }, async function getPage ({ headers }, reply) {
      reply.headers({ 'content-type': 'text/html; charset=utf-8', vary: 'accept-language' })
      return reply.send(pages.html(name, headers['accept-language']))
    })
  }

  app.get('/assets/*', { schema: AssetSchema }, async function getAsset ({ params, headers }, reply) {
    const asset = pages.asset(params['*'])
    if (!asset) throw new NotFound()
    reply.headers({ etag: asset.etag, 'cache-control': asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache' })
    if (headers['if-none-match']?.includes(asset.etag)) return reply.code(304).send()
    return reply.header('content-type', asset.type).send(asset.body)
  })

  /** Where password managers send their owners: https://w3c.github.io/webappsec-change-password-url/ */
  app.get('/.well-known/change-password', { schema: ChangePasswordPageSchema }, async function goToChangePassword (_request, reply) {
    return reply.redirect('/dashboard#password')
  })
}

export default routes
