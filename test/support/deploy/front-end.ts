import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { spawnTethered } from '../../../demo/tethered.ts'
import { makeCertificate } from '../certificate.ts'
import { makeFolder } from '../folder.ts'
import { eventually } from '../patience.ts'
import { isInstalled } from '../../../demo/programs.ts'
import { replaceAll } from './replace-all.ts'

const CONFIGURATION = join(import.meta.dirname, '../../../deploy/nginx')
const SITE = ['files', 'http', 'https', 'upstreams'].map(name => `site/${name}.conf`)

/** Why tests with a real front end are skipped, or false. */
export const withoutNginx =
  isInstalled('nginx') && isInstalled('openssl')
    ? false
    : 'NO nginx OR openssl ON THIS MACHINE: TESTS OF THE FRONT END DID NOT RUN'

interface Options {
  /** Ports of the two instances, and of the guarded app. */
  instances: [number, number]
  app?: number
  /** For a PUBLIC_URL that must be known before the front end starts. */
  httpsPort?: number
  /** What site/app.conf contains, instead of the example. */
  locations?: string
  /** What site/hosts/app.conf contains: the host of an app. */
  appHost?: string
  /** Changes to files: what to replace in each. */
  changes?: Record<string, Record<string, string>>
}

/** Debian's nginx with the configuration in deploy/: only addresses and paths are changed. */
export async function startFrontEnd (t: Pick<Test, 'teardown'>, options: Options) {
  const { instances, app = 1, locations, appHost, changes = {} } = options
  const dir = makeFolder(t, 'nginx')
  cpSync(CONFIGURATION, dir, { recursive: true })
  const [httpPort, httpsPort] = [await freePort(), options.httpsPort ?? await freePort()]
  const certificate = makeCertificate(dir)
  const hosts = appHost ? ['site/hosts/app.conf'] : []
  if (appHost) {
    mkdirSync(join(dir, 'site/hosts'))
    writeFileSync(join(dir, 'site/hosts/app.conf'), appHost)
  }
  replaceAll(dir, [...SITE, ...hosts], {
    'listen 80 ': `listen 127.0.0.1:${httpPort} `,
    'listen 443 ': `listen 127.0.0.1:${httpsPort} `,
    '$tls_port ""': `$tls_port :${httpsPort}`,
    '/run/secrets/': `${dir}/`,
    '/dev/stdout': `${dir}/access.log`,
    ' /tmp/': ` ${dir}/`,
    'gatehouse-1:3000': `127.0.0.1:${instances[0]}`,
    'gatehouse-2:3000': `127.0.0.1:${instances[1]}`,
    'app:8080': `127.0.0.1:${app}`,
  })
  if (locations) writeFileSync(join(dir, 'site/app.conf'), locations)
  for (const [file, replacements] of Object.entries(changes)) replaceAll(dir, [file], replacements)

  const errors = openSync(join(dir, 'error.log'), 'w')
  const nginx = spawnTethered(
    ['env', `CERTIFICATES=${dir}`, 'CERTIFICATE_CHECK_SECONDS=1', join(dir, 'start.sh'), ...optionsOf(dir)],
    'TERM',
    errors
  )
  closeSync(errors)
  const ended = once(nginx, 'exit')
  t.teardown(async () => {
    nginx.ref()
    nginx.kill('SIGTERM')
    await ended
  })
  await eventually(
    () => {
      if (nginx.exitCode !== null) throw new Error(readFileSync(join(dir, 'error.log'), 'utf8'))
      return answers(httpsPort)
    },
    Boolean
  )

  return {
    httpPort,
    httpsPort,
    certificate,
    certificateFile: join(dir, 'certificate.pem'),
    /** Replaces the certificate as a renewal does. Returns the new one. */
    renewCertificate: () => makeCertificate(dir),
    /** Takes an instance out, or back in, as docs/deploy.md tells operators to. */
    async mark (state: 'down' | 'up', instance: number) {
      execFileSync(join(dir, 'instance.sh'), [state, `127.0.0.1:${instance}`])
      const before = workersOf(dir)
      execFileSync('nginx', [...optionsOf(dir), '-s', 'reload'], { stdio: 'ignore' })
      await eventually(
        () => workersOf(dir),
        workers => workers.length > 0 && workers.every(worker => !before.includes(worker))
      )
    },
    log: (name: 'access' | 'error') => readFileSync(join(dir, `${name}.log`), 'utf8'),
  }
}

/** The workers that accept new requests. */
function workersOf (dir: string): string[] {
  const master = readFileSync(join(dir, 'nginx.pid'), 'utf8').trim()
  const children = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ')
  return children.filter(pid => commandOf(pid).includes('worker process') && !commandOf(pid).includes('shutting down'))
}

function commandOf (pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const optionsOf = (dir: string) =>
  ['-p', dir, '-c', join(dir, 'nginx.conf'), '-g', `daemon off; pid ${dir}/nginx.pid;`]

export type FrontEnd = Awaited<ReturnType<typeof startFrontEnd>>

export async function answers (port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
