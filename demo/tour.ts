import type { FastifyInstance } from 'fastify'
import { configuredProviders } from '../src/providers/configured.ts'
import { AUTHENTICATOR_PATH, operatorPage } from './operator.ts'
import { pagePolicy, TOUR_PATH } from './service-page.ts'
import { tourPage } from './tour-page.ts'

/** A page that shows what can be tried. Visitors who are not signed in come to it from `/`. */
export function extendWithTour (app: FastifyInstance, application: string) {
  app.decorate('tourPath', TOUR_PATH)
  app.register(async app => {
    app.get(TOUR_PATH, async (_request, reply) => reply
      .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy() })
      .send(tourPage({
        providers: configuredProviders(app.config),
        mailbox: app.mailboxPath,
        application: app.config.OPENID === 'on' ? application : undefined,
        operators: operatorPage(app),
        authenticator: AUTHENTICATOR_PATH,
      })))
  })
}
