import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { createDatabase, JWT_SECRET, redisUrl } from '../build.ts'
import { inTime } from '../patience.ts'
import { gatehouse } from '../process.ts'
import { startSmtp } from '../smtp.ts'
import type { FrontEnd } from './front-end.ts'

export const PUBLIC_URL = 'https://auth.example.com'

/** Settings for `NODE_ENV=production`, with real dependencies. `empty`: a database without migrations. */
export async function productionSettings (t: Pick<Test, 'teardown'>, { empty = false } = {}) {
  const { owner, settings } = await createDatabase(t, { empty })
  const smtp = await startSmtp(t)
  return {
    owner,
    smtp,
    settings: {
      ...settings,
      NODE_ENV: 'production',
      REDIS_URL: await redisUrl(t),
      REDIS_PREFIX: `test:${randomBytes(8).toString('hex')}:`,
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Gatehouse <no-reply@example.com>',
      PUBLIC_URL,
      JWT_SECRET,
      TRUST_PROXY: '127.0.0.1',
      TOKEN_AUDIENCES: 'example-app',
      BCRYPT_COST: '10',
    } as Record<string, string>,
  }
}

/** An instance that keeps its port through restarts, also with the program of another version. */
export async function startInstance (t: Pick<Test, 'teardown'>, settings: Record<string, string>, first?: string) {
  const port = await freePort()
  let service: ReturnType<typeof gatehouse>
  let earlierOutput = ''

  async function start (program?: string) {
    service = gatehouse(['serve'], { ...settings, PORT: String(port) }, { program })
    await service.until(/Server listening at/)
  }

  async function stop (signal: NodeJS.Signals = 'SIGTERM') {
    service.child.kill(signal)
    const ended = await inTime(service.ended, `the end of an instance after ${signal}`)
    earlierOutput += ended.stdout
    return ended
  }

  /** Requests that this instance has refused because it was overloaded, by its log. Call it after `stop`. */
  const refusals = () => earlierOutput
    .split('\n')
    .filter(line => line.includes('overloaded: requests were refused'))
    .flatMap(line => Object.values<number>(JSON.parse(line).refused))
    .reduce((sum, each) => sum + each, 0)

  t.teardown(() => stop('SIGKILL'))
  await start(first)
  return { port, start, stop, refusals, signal: (signal: NodeJS.Signals) => service.child.kill(signal) }
}

export type Instance = Awaited<ReturnType<typeof startInstance>>

/** Two instances of one service. */
export async function startInstances (t: Pick<Test, 'teardown'>, settings: Record<string, string>, program?: string) {
  const instances = await Promise.all([startInstance(t, settings, program), startInstance(t, settings, program)])
  return { instances, ports: instances.map(({ port }) => port) as [number, number] }
}

/** Restarts an instance as docs/deploy.md tells operators to, also with the program of another version. */
export async function replaceInstance (t: Test, frontEnd: FrontEnd, instance: Instance, program?: string) {
  await frontEnd.mark('down', instance.port)
  t.match(await instance.stop(), { code: 0 })
  await instance.start(program)
  await frontEnd.mark('up', instance.port)
}
