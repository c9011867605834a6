import autoload from '@fastify/autoload'
import type { FastifyInstance } from 'fastify'
import type { DestinationStream } from 'pino'
import type { Config } from './config.ts'
import { createServer, isOfEveryServer } from './create-server.ts'
import { PLUGINS, ROUTES } from './edge/folders.ts'
import { logOptions } from './observability/log.ts'

const isInSite = (path: string) => path.startsWith('/site/')

interface Options {
  /** Commands respond to no requests: without routes and pages they start faster. */
  routes?: boolean
}

export function buildApp (
  config: Config,
  logStream?: DestinationStream,
  { routes = true }: Options = {}
): FastifyInstance {
  const app = createServer(config, { logger: logOptions(config, logStream) })
  app.register(autoload, {
    dir: PLUGINS,
    ignoreFilter: path => isOfEveryServer(path) || (!routes && isInSite(path)),
  })
  if (routes) app.register(autoload, { dir: ROUTES })
  return app
}
