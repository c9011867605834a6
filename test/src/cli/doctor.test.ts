import t from 'tap'
import { withoutRedis } from '../../support/build.ts'
import { gatehouse } from '../../support/process.ts'
import { examine, PASSWORD, startHealthy, withPassword } from '../../support/cli/healthy-settings.ts'

const skip = { skip: withoutRedis }
const { settings: SETTINGS, home, smtp, providerB } = await startHealthy(t)

t.test('doctor: no problems, one line for each check, no mail sent (0)', skip, async t => {
  const { code, stdout, stderr } = await gatehouse(['doctor'], SETTINGS).ended
  t.match({ code, stderr }, { code: 0, stderr: '' }, stdout)
  const lines = stdout.trim().split('\n')
  const CHECKS = [
    'settings',
    'cookies',
    'proxy',
    'database',
    'migrations',
    'rights',
    'clock',
    'redis',
    'clock',
    'mail',
    'provider-a',
    'provider-b',
  ]
  t.strictSame(
    lines.slice(0, -3).map(line => line.slice(0, 20).trim()),
    CHECKS.map(check => `ok       ${check}`)
  )
  t.match(lines.at(-3), /^warning {2}front end.*cannot be reached from this machine/)
  t.equal(lines.at(-1), '0 problems, 1 warning.')
  t.equal(smtp.mails.length, 0)
})

t.test('doctor: missing or unsafe settings, no other checks (1)', async t => {
  const { code, findings, of } = await examine({ NODE_ENV: 'production', TRUST_PROXY: 'true' })
  t.equal(code, 1)
  t.strictSame(of('problem'), Array(6).fill('settings'))
  t.equal(findings.length, 6)
})

/** What is broken, the check that reports it, and its message. */
const BROKEN: Array<[what: string, settings: Record<string, string>, says: Record<string, RegExp>]> = [
  [
    'PostgreSQL is down',
    { DATABASE_URL: `postgres://gatehouse:${PASSWORD}@127.0.0.1:1/gatehouse` },
    { database: /ECONNREFUSED.*Start PostgreSQL or correct DATABASE_URL/ },
  ],
  [
    'the service role owns the tables',
    { DATABASE_URL: SETTINGS.MIGRATION_DATABASE_URL },
    { rights: /is a superuser.*the owner of the tables in MIGRATION_DATABASE_URL/ },
  ],
  ['Redis is down', { REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:1` }, { redis: /ECONNREFUSED.*correct REDIS_URL/ }],
  ['the mail server is down', { SMTP_URL: `smtp://me:${PASSWORD}@127.0.0.1:1` }, { mail: /ECONNREFUSED.*SMTP_URL/ }],
  ['no front end is trusted', { TRUST_PROXY: '' }, { proxy: /share one address.*Set TRUST_PROXY/ }],
  [
    'a path in PUBLIC_URL, and a wrong PostgreSQL password',
    { PUBLIC_URL: `${home}/auth`, DATABASE_URL: withPassword(SETTINGS.DATABASE_URL) },
    { cookies: /has the path \/auth.*a host name of its own/, database: /password authentication failed/ },
  ],
  [
    'one provider is down, another refuses the client secret',
    { PROVIDER_A_AUTHORIZE_URL: `${home}/authorize`, PROVIDER_B_CLIENT_SECRET: 'another' },
    {
      'provider-a': /authorization endpoint cannot be reached: .*ECONNREFUSED/,
      'provider-b': /rejects the client.*PROVIDER_B_CLIENT_SECRET/,
    },
  ],
  [
    'a callback unknown to the provider, and one on another host',
    {
      PROVIDER_A_REDIRECT_URI: `${home}/elsewhere`,
      PROVIDER_B_REDIRECT_URI: 'https://elsewhere.example.com/callback',
    },
    {
      'provider-a': /authorization endpoint responds with status 400.*must allow/,
      'provider-b': /but the cookies are set for /,
    },
  ],
  [
    'an address without https://, and an unknown host',
    { PROVIDER_A_TOKEN_URL: 'accounts.example.com', PROVIDER_B_TOKEN_URL: `${providerB}/nothing` },
    {
      'provider-a': /is not valid.*PROVIDER_A_TOKEN_URL/,
      'provider-b': /token endpoint responds with status 404.*PROVIDER_B_TOKEN_URL/,
    },
  ],
]

for (const [what, settings, says] of BROKEN) {
  t.test(`doctor: ${what} (1)`, skip, async t => {
    const { code, of, about } = await examine({ ...SETTINGS, ...settings })
    t.equal(code, 1)
    t.strictSame(of('problem'), Object.keys(says))
    for (const [check, words] of Object.entries(says)) t.match(about(check), words)
  })
}
