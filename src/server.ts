import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DestinationStream } from 'pino'
import { buildApp } from './app.ts'
import { loadConfig, publicUrlOf, SettingsError, wantsEmbeddedStack, type Config } from './config.ts'
import { closePort } from './edge/close-port.ts'
import { onStopSignal, STOP_SIGNALS, stopWithParent, type StopSignal } from './edge/stop-signals.ts'

/** Open requests have this long before their connections are closed. Longer than any route takes. */
const CLOSE_TIMEOUT = 10_000
/** From the signal to the exit of the process, in any case. */
const SHUTDOWN_TIMEOUT = 30_000

/** PostgreSQL, providers and a mailbox of its own. */
interface Demo {
  settings: Record<string, string>
  log: DestinationStream
  seed (config: Config): Promise<unknown>
  extend (app: FastifyInstance): void
  welcome (app: FastifyInstance): Promise<void>
  stop (): Promise<void>
}

export type StartDemo = (publicUrl: string) => Promise<Demo>

/** Starts the service, with the embedded stack if nothing is configured. A signal drains and stops it. */
export async function serve (startDemo?: StartDemo) {
  stopWithParent()
  const stack = wantsEmbeddedStack() ? await startDemo?.(publicUrlOf()) : undefined
  try {
    const config = loadConfig(stack?.settings)
    if (config.TEMPLATES_DIR) await requireTemplates(config, config.TEMPLATES_DIR)
    if (config.MIGRATE_ON_START) await runMigrations(config)
    await stack?.seed(config)

    const app = buildApp(config, stack?.log)
    stack?.extend(app)
    const others: FastifyInstance[] = []
    let signal: StopSignal | undefined
    const options = { delay: SHUTDOWN_TIMEOUT, logger: app.log, skip: [...STOP_SIGNALS] }
    const { close } = closeWithGrace(options, async function stop ({ err, signal: other }) {
      if (err) app.log.fatal({ err }, 'stopping after an uncaught error')
      else app.log.info({ signal: signal ?? other }, 'stopping')
      app.drain.begin()
      if (signal === 'SIGTERM') await sleep(config.DRAIN_SECONDS * 1_000)
      const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT)
      for (const other of others) await other.close()
      await closePort(app.server)
      await app.close()
      clearTimeout(timer)
      await stack?.stop()
    })
    onStopSignal(name => {
      signal = name
      close()
    })
    const operator = await startOperator(app, config).catch(closing(app))
    if (operator) others.push(operator)
    await listen(app, config).catch(closing(app, operator))
    await stack?.welcome(app)
  } catch (error) {
    await stack?.stop()
    throw error
  }
}

/** A page that cannot be shown is noticed at the start, in one line. */
async function requireTemplates (config: Config, folder: string) {
  const { checkTemplates } = await import('./check-templates.ts')
  const [problem, ...others] = await checkTemplates(folder)
  if (problem === undefined) return
  const more = others.length > 0 ? ` ${others.length} more: run gatehouse templates check ${folder}.` : ''
  throw new SettingsError([`TEMPLATES_DIR has a problem: ${problem}.${more}`], config)
}

/** Loaded only if it is used: most instances start on a database that is up to date. */
async function runMigrations (config: Config) {
  const { migrate } = await import('./database/migrate.ts')
  await migrate(config)
}

/** Opens OPERATOR_PORT if it is set. Loaded only then. */
async function startOperator (app: FastifyInstance, { OPERATOR_PORT }: Config): Promise<FastifyInstance | undefined> {
  await app.ready()
  if (OPERATOR_PORT === undefined) return undefined
  const { listenForOperators } = await import('./operator-app.ts')
  return listenForOperators(app)
}

/** Opens the public port last, so that an instance whose start fails serves no request. */
async function listen (app: FastifyInstance, { HOST, PORT }: Config) {
  await app.metrics.listen()
  await app.listen({ host: HOST, port: PORT })
}

function closing (...apps: Array<FastifyInstance | undefined>) {
  return async function closeAll (error: unknown): Promise<never> {
    for (const app of apps.toReversed()) await app?.close()
    throw error
  }
}
