import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../demo/free-port.ts'
import { BASE_SETTINGS } from '../build.ts'
import { eventually } from '../patience.ts'
import { gatehouse } from '../process.ts'
import type { ServiceDependencies, Teardown } from './dependencies.ts'
import { startProxy } from './tcp-proxy.ts'

export const UNCAUGHT_ERROR = /uncaught|unhandled/i

/** An instance of the service. All its connections, in both directions, go through proxies of its own. */
export async function startService (
  t: Teardown,
  { database, counters, mail }: ServiceDependencies,
  settings: Record<string, string>,
  onCrash: (what: string) => void,
  stdout?: number
) {
  const port = await freePort()
  const proxies = {
    front: await startProxy(t, port),
    postgres: await startProxy(t, database.port),
    redis: await startProxy(t, counters.port),
    smtp: await startProxy(t, Number(new URL(mail.url).port)),
  }
  const env = {
    ...BASE_SETTINGS,
    PORT: String(port),
    PUBLIC_URL: 'http://gatehouse.test',
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DATABASE_URL: database.url(proxies.postgres.port),
    REDIS_URL: `redis://127.0.0.1:${proxies.redis.port}`,
    SMTP_URL: `smtp://127.0.0.1:${proxies.smtp.port}`,
    ...settings,
  }
  let running: ReturnType<typeof gatehouse>
  let killed = false

  async function start () {
    killed = false
    const service = (running = gatehouse(['serve'], env, { stdout }))
    service.child.once('close', (code, signal) => {
      if (!killed) onCrash(`a service ended with ${code ?? signal}: ${service.output.stderr.slice(-500)}`)
    })
    await eventually(() => isListening(port), Boolean)
  }

  async function kill () {
    killed = true
    running.child.kill('SIGKILL')
    await running.ended
    if (UNCAUGHT_ERROR.test(running.output.stdout + running.output.stderr)) onCrash('an uncaught error')
  }

  t.teardown(kill)
  await start()
  return {
    proxies,
    port,
    start,
    kill,
    get pid () {
      return running.child.pid as number
    },
    get output () {
      return running.output.stdout + running.output.stderr
    },
    freeze: () => running.child.kill('SIGSTOP'),
    thaw: () => running.child.kill('SIGCONT'),
  }
}

export type Service = Awaited<ReturnType<typeof startService>>

async function isListening (port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health/live`).then(
    ({ ok }) => ok,
    () => sleep(25).then(() => false)
  )
}
