import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { startProviderA } from '../../../demo/provider-a.ts'
import { startProviderB } from '../../../demo/provider-b.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { createDatabase, JWT_SECRET, startRedis, withoutRedis } from '../build.ts'
import { startSmtp } from '../smtp.ts'
import { runWith } from './in-process.ts'
import { startTlsEndpoints } from './tls-endpoints.ts'

type Ending = Pick<Test, 'teardown'>

/** No finding may contain it. */
export const PASSWORD = 'sup3r-s3cret'

interface Finding {
  check: string
  state: 'ok' | 'warning' | 'problem' | 'skipped'
  message: string
  advice?: string
}

/** The findings of the doctor, which must match its exit code. */
export async function examine (settings: Record<string, string>) {
  const { code, stdout, stderr } = await runWith(settings, ['doctor', '--json'])
  if (!stdout || stderr) throw new Error(stderr)
  if ([PASSWORD, JWT_SECRET].some(secret => stdout.includes(secret))) throw new Error('the doctor told a secret')
  const { findings, healthy } = JSON.parse(stdout) as { findings: Finding[], healthy: boolean }
  if (healthy !== (code === 0)) throw new Error(`healthy: ${healthy}, and yet ${code}`)
  const names = findings.map(({ check }) => check)
  if (new Set(names).size < names.length) throw new Error(`two findings of one name: ${names.join(', ')}`)
  return {
    code,
    findings,
    of: (state: Finding['state']) => findings.filter(finding => finding.state === state).map(({ check }) => check),
    about: (check: string) =>
      findings
        .filter(finding => finding.check === check)
        .map(({ state, message, advice = '' }) => `${state}: ${message} ${advice}`)
        .join('\n'),
  }
}

export async function createMigrated (t: Ending) {
  const database = await createDatabase(t)
  await migrate(database.settings)
  return database
}

/** As NODE_EXTRA_CA_CERTS does at the start of a process. */
function trust (t: Ending, certificate: string) {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, readFileSync(certificate, 'utf8')])
  t.teardown(() => setDefaultCACertificates(before))
}

/** All dependencies of a service in production, healthy, except for a front end. */
export async function startHealthy (t: Ending) {
  const home = `https://localhost:${await freePort()}`
  const smtp = await startSmtp(t)
  const redis = withoutRedis ? undefined : await startRedis(t)
  const register = (path: string) => ({
    clientId: 'gatehouse',
    clientSecret: PASSWORD,
    redirectUri: `${home}/api/auth/${path}/callback`,
  })
  const a = await startProviderA(register('provider-a'))
  t.teardown(a.stop)
  const b = await startProviderB(register('provider-b'))
  t.teardown(b.stop)
  const { certificate, secured } = await startTlsEndpoints(t)
  trust(t, certificate)
  const [securedA, securedB] = [await secured(a), await secured(b)]
  const { settings } = await createMigrated(t)
  return {
    home,
    smtp,
    providerB: securedB.url,
    settings: {
      ...settings,
      ...securedA.settings,
      ...securedB.settings,
      NODE_EXTRA_CA_CERTS: certificate,
      NODE_ENV: 'production',
      PUBLIC_URL: home,
      TRUST_PROXY: '127.0.0.1',
      JWT_SECRET,
      REDIS_URL: redis?.url ?? '',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Gatehouse <no-reply@example.com>',
    },
  }
}

/** The same address with a wrong password. */
export function withPassword (address: string): string {
  const url = new URL(address)
  url.password = PASSWORD
  return url.href
}
