import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A file of each Debian package that has another name than its command, or no command. */
const FILES: Record<string, string> = {
  'golang-go': '/usr/bin/go',
  'libc6-dev': '/usr/include/stdlib.h',
  'golang-github-golang-jwt-jwt-dev': '/usr/share/gocode/src/github.com/golang-jwt/jwt/go.mod',
  'python3-jwt': '/usr/lib/python3/dist-packages/jwt/__init__.py',
  'python3-cryptography': '/usr/lib/python3/dist-packages/cryptography/__init__.py',
  'python3-authlib': '/usr/lib/python3/dist-packages/authlib/__init__.py',
  'python3-flask': '/usr/lib/python3/dist-packages/flask/__init__.py',
  'python3-requests': '/usr/lib/python3/dist-packages/requests/__init__.py',
  'apache2-bin': '/usr/sbin/apache2',
  'libapache2-mod-auth-openidc': '/usr/lib/apache2/modules/mod_auth_openidc.so',
  'libapache2-mod-oauth2': '/usr/lib/apache2/modules/mod_oauth2.so',
}

export function isInstalled (program: string): boolean {
  const file = FILES[program]
  if (file) return existsSync(file)
  return (process.env.PATH ?? '').split(delimiter).some(dir => existsSync(join(dir, program)))
}

/** The Debian packages that have another name than their command. */
const PACKAGES: Record<string, string> = {
  pg_ctlcluster: 'postgresql',
  'systemd-analyze': 'systemd',
  WebKitWebDriver: 'webkit2gtk-driver',
  Xvfb: 'xvfb',
}

/** Installs missing programs where it is allowed. */
export function providePrograms (programs: string[]) {
  const missing = programs.filter(program => !isInstalled(program))
  if (missing.length === 0 || process.getuid?.() !== 0 || !isInstalled('apt-get')) return
  console.log(`Installing ${missing.join(', ')} with apt-get…`)
  try {
    const packages = missing.map(program => PACKAGES[program] ?? program)
    const apt = 'DEBIAN_FRONTEND=noninteractive apt-get -qq'
    const install = `${apt} update && ${apt} install -y --no-install-recommends ${packages.join(' ')}`
    execFileSync('sh', ['-c', install], { stdio: 'ignore' })
  } catch {
    console.log('That did not work: what needs them is skipped.')
  }
}
