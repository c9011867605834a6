import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from './app.ts'
import { loadConfig, publicUrlOf, wantsEmbeddedStack, type Config } from './config.ts'
import { migrate } from './database/migrate.ts'

/** Answers under way have this long; then their connections are cut. Longer than any route takes. */
const CLOSE_LIMIT = 10_000
/** From the signal to the end, whatever happens. */
const SHUTDOWN_LIMIT = 30_000

/** Starts the service, on the embedded stack when nothing is configured, and drains it at the signal. */
export async function serve () {
  const stack = wantsEmbeddedStack() ? await startEmbeddedStack() : undefined
  try {
    const config = loadConfig(stack?.settings)
    if (config.MIGRATE_ON_START) await migrate(config)
    await stack?.seed(config)

    const app = buildApp(config, stack?.log)
    stack?.extend(app)
    closeWithGrace({ delay: SHUTDOWN_LIMIT, logger: app.log }, async function stop ({ signal, err }) {
      if (err) app.log.fatal({ err }, 'stopping after an error that nobody caught')
      else app.log.info({ signal }, 'stopping')
      app.drain.begin()
      if (signal === 'SIGTERM') await sleep(config.DRAIN_SECONDS * 1_000)
      const cut = setTimeout(() => app.server.closeAllConnections(), CLOSE_LIMIT)
      await app.close()
      clearTimeout(cut)
      await stack?.stop()
    })
    await listen(app, config)
    stack?.welcome(app)
  } catch (error) {
    await stack?.stop()
    throw error
  }
}

/** The public port last: nobody is served by an instance that is about to give up. */
async function listen (app: FastifyInstance, { HOST, PORT }: Config) {
  try {
    await app.ready()
    await app.metrics.listen()
    await app.listen({ host: HOST, port: PORT })
  } catch (error) {
    await app.close()
    throw error
  }
}

async function startEmbeddedStack () {
  const { startStack } = await import('../demo/stack.ts')
  return startStack(publicUrlOf())
}
