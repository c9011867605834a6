import fp from 'fastify-plugin'
import { createBackgroundWork } from '../../src/database/background-work.ts'
import { configuredProviders } from '../../src/providers/configured.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts the accounts of each provider. The pages show those with most accounts first. */
    orderProviders (): Promise<void>
  }
}

/** An hour: the counts of an installation change slowly, and every account is counted. */
const INTERVAL = 3_600_000

export default fp(async function (app) {
  const { config, identities, pages } = app

  app.decorate('orderProviders', async () => pages.orderProviders(await identities.countAccounts()))

  if (configuredProviders(config).length < 2) return
  const { repeat } = createBackgroundWork(app, 'the providers keep their order on the pages')
  repeat(INTERVAL, app.orderProviders)
}, { name: 'provider-order', dependencies: ['identities', 'pages'] })
