import { once } from 'node:events'
import { appendFileSync, closeSync, cpSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { isInstalled } from '../../../demo/programs.ts'
import { spawnTethered } from '../../../demo/tethered.ts'
import { makeCertificate } from '../certificate.ts'
import { makeFolder } from '../folder.ts'
import { eventually } from '../patience.ts'
import { answers } from './front-end.ts'
import { replaceAll } from './replace-all.ts'

const CONFIGURATION = join(import.meta.dirname, '../../../deploy/caddy')

/** Why tests with Caddy are skipped, or false. */
export const withoutCaddy = isInstalled('caddy') && isInstalled('openssl')
  ? false
  : 'NO caddy OR openssl ON THIS MACHINE: TESTS OF CADDY DID NOT RUN'

interface Options {
  instances: [number, number]
  app: number
  /** A site for the host of an app, to add to the file. */
  appHost?: string
}

/** Debian's Caddy with the configuration in deploy/: only addresses, ports and the certificate are changed. */
export async function startCaddy (t: Pick<Test, 'teardown'>, { instances, app, appHost = '' }: Options) {
  const dir = makeFolder(t, 'caddy')
  cpSync(CONFIGURATION, dir, { recursive: true })
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const certificate = makeCertificate(dir)
  const tls = `tls ${dir}/certificate.pem ${dir}/certificate.key`
  appendFileSync(join(dir, 'Caddyfile'), `\n${appHost.replace('{\n', `{\n\t${tls}\n`)}`)
  const global = `admin off\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n\tdefault_bind 127.0.0.1`
  replaceAll(dir, ['Caddyfile'], {
    '{\n\tservers {': `{\n\t${global}\n\tservers {`,
    'auth.example.com {': `localhost {\n\t${tls}`,
    'gatehouse-1:3000': `127.0.0.1:${instances[0]}`,
    'gatehouse-2:3000': `127.0.0.1:${instances[1]}`,
    'app:8080': `127.0.0.1:${app}`,
  })

  const log = openSync(join(dir, 'log'), 'w')
  const caddy = spawnTethered(
    ['env', `HOME=${dir}`, `XDG_DATA_HOME=${dir}`, `XDG_CONFIG_HOME=${dir}`,
      'caddy', 'run', '--config', join(dir, 'Caddyfile'), '--adapter', 'caddyfile'],
    'TERM',
    log
  )
  closeSync(log)
  const ended = once(caddy, 'exit')
  t.teardown(async () => {
    caddy.ref()
    caddy.kill('SIGTERM')
    await ended
  })
  await eventually(() => {
    if (caddy.exitCode !== null) throw new Error(readFileSync(join(dir, 'log'), 'utf8'))
    return answers(httpsPort)
  }, Boolean)
  return { httpPort, httpsPort, certificate, log: () => readFileSync(join(dir, 'log'), 'utf8') }
}
