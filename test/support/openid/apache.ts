import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isInstalled } from '../../../demo/programs.ts'
import { startServer } from '../deploy/code-blocks.ts'
import { folderWith } from '../folder.ts'

const MODULES = '/usr/lib/apache2/modules'
const LOADED = [
  'mpm_event', 'authn_core', 'authz_core', 'authz_user', 'ssl', 'proxy', 'proxy_http', 'auth_openidc', 'oauth2',
]

/** Why tests with Apache are skipped, or false. */
export const withoutApache =
  ['apache2-bin', 'libapache2-mod-auth-openidc', 'libapache2-mod-oauth2'].every(isInstalled)
    ? false
    : 'NO apache2 WITH mod_auth_openidc AND mod_oauth2 ON THIS MACHINE: ITS RECIPES DID NOT RUN'

interface Options {
  site: string
  port: number
  env: Record<string, string>
  /** Of Gatehouse. */
  certificate: string
}

/** Debian's Apache with this site and nothing else. */
export async function startApache (t: Test, { site, port, env, certificate }: Options) {
  const dir = folderWith(t, { 'site.conf': site, 'certificate.pem': certificate })
  // Its processes are not root.
  chmodSync(dir, 0o755)
  const lines = [
    `ServerRoot ${dir}`,
    'ServerName localhost',
    `DefaultRuntimeDir ${dir}`,
    `PidFile ${dir}/apache.pid`,
    `ErrorLog ${dir}/error.log`,
    `Mutex file:${dir}`,
    ...process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : [],
    ...LOADED.map(name => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
    `Listen 127.0.0.1:${port}`,
    `OIDCCABundlePath ${dir}/certificate.pem`,
    `Include ${dir}/site.conf`,
  ]
  writeFileSync(join(dir, 'apache.conf'), lines.join('\n'))
  const log = () => readFileSync(join(dir, 'error.log'), 'utf8')
  await startServer(t, ['/usr/sbin/apache2', '-f', join(dir, 'apache.conf'), '-D', 'FOREGROUND'], port, { env })
    .catch(error => { throw new Error(log(), { cause: error }) })
  return { log }
}
