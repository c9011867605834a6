import t from 'tap'
import { startProviderC } from '../../../demo/provider-c.ts'
import { withoutRedis } from '../../support/build.ts'
import { gatehouse } from '../../support/process.ts'
import { examine, PASSWORD, startHealthy, withPassword } from '../../support/cli/healthy-settings.ts'

const skip = { skip: withoutRedis }
const { settings: SETTINGS, home, smtp, providerB } = await startHealthy(t)

t.test('doctor: no problems, one line for each check in a pipe, no mail sent (0)', skip, async t => {
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
    'connections',
    'clock of PostgreSQL',
    'redis',
    'clock of Redis',
    'mail',
    'breached passwords',
    'provider-a',
    'provider-b',
    'hashing',
  ]
  t.strictSame(
    lines.slice(0, -3).map(line => line.slice(0, 30).trim()),
    CHECKS.map(check => `ok       ${check}`)
  )
  t.match(lines.at(-3), /^warning {2}front end.*cannot be reached from this machine/)
  t.equal(lines.at(-1), '0 problems, 1 warning.')
  t.equal(smtp.mails.length, 0)
})

t.test('doctor: all missing or unsafe settings, checks that need them are skipped (1)', async t => {
  const { code, of, about } = await examine({ NODE_ENV: 'production', TRUST_PROXY: 'true' })
  t.equal(code, 1)
  t.strictSame(of('problem'), ['DATABASE_URL', 'JWT_SECRET', 'TRUST_PROXY', 'REDIS_URL', 'SMTP_URL', 'PUBLIC_URL'])
  t.strictSame(
    of('skipped'),
    ['cookies', 'proxy', 'database', 'redis', 'mail', 'provider-a', 'provider-b', 'providers', 'front end']
  )
  t.match(about('proxy'), 'Not checked because of TRUST_PROXY, PUBLIC_URL.')
})

t.test('doctor: a problem of a setting does not stop the other checks (1)', skip, async t => {
  const { of } = await examine({
    ...SETTINGS,
    JWT_SECRET: 'short',
    DATABASE_POOL_MAX: 'many',
    REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:1`,
  })
  t.strictSame(of('problem'), ['DATABASE_POOL_MAX', 'JWT_SECRET', 'redis'])
  t.strictSame(of('skipped'), ['database'])
  t.strictSame(of('ok'), ['cookies', 'proxy', 'mail', 'breached passwords', 'provider-a', 'provider-b', 'hashing'])
})

/** Refused at the start as well. */
const UNSAFE: Array<[settings: Record<string, string>, line: RegExp]> = [
  [{ PROVIDER_A_AUTHORIZE_URL: 'http://provider.example/auth' }, /^PROVIDER_A_AUTHORIZE_URL must be an https:/],
  [{ PROVIDER_A_TOKEN_URL: 'accounts.example.com' }, /^PROVIDER_A_TOKEN_URL must be an https:/],
  [{ PROVIDER_B_USERINFO_URL: 'http://provider.example/user' }, /^PROVIDER_B_USERINFO_URL must be an https:/],
  [{ PROVIDER_B_EMAILS_URL: 'http://provider.example/emails' }, /^PROVIDER_B_EMAILS_URL must be an https:/],
  [{ PROVIDER_B_CLIENT_SECRET: '' }, /^PROVIDER_B_CLIENT_SECRET is missing: set the secret/],
  [{ PUBLIC_URL: `${home}/auth` }, /^PUBLIC_URL must be only a scheme and a host/],
  [{ LOGIN_REDIRECT: '//evil.example' }, /^LOGIN_REDIRECT must be a path on this host/],
  [{ TRUST_PROXY: '0.0.0.0/1,128.0.0.0/1' }, /^TRUST_PROXY covers every client/],
]

t.test('doctor: all settings that are refused at the start, in one row each (1)', async t => {
  const { code, findings, of } = await examine(Object.assign({ ...SETTINGS }, ...UNSAFE.map(([settings]) => settings)))
  t.equal(code, 1)
  t.strictSame(of('problem').sort(), UNSAFE.flatMap(([settings]) => Object.keys(settings)).sort())
  for (const [, line] of UNSAFE) t.ok(findings.some(({ message }) => line.test(message)), String(line))
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
    'a wrong PostgreSQL password',
    { DATABASE_URL: withPassword(SETTINGS.DATABASE_URL) },
    { database: /password authentication failed/ },
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
    'a token endpoint that is not there',
    { PROVIDER_B_TOKEN_URL: `${providerB}/nothing` },
    { 'provider-b': /token endpoint responds with status 404.*PROVIDER_B_TOKEN_URL/ },
  ],
  [
    'a listed provider that is down',
    {
      PROVIDERS: 'listed',
      PROVIDER_LISTED_ISSUER: home,
      PROVIDER_LISTED_CLIENT_ID: 'gatehouse',
      PROVIDER_LISTED_CLIENT_SECRET: PASSWORD,
    },
    { listed: /discovery of https:\S+ failed: .*ECONNREFUSED.*Check the issuer/ },
  ],
]

t.test('doctor: a provider by discovery accepts the client, or refuses secret, id or redirect URI', async t => {
  const redirectUri = `${home}/api/auth/listed/callback`
  const provider = await startProviderC({ clientId: 'gatehouse', clientSecret: PASSWORD, redirectUri }, 'listed')
  t.teardown(provider.stop)
  const about = async (settings: Record<string, string> = {}) =>
    (await examine({ ...SETTINGS, NODE_ENV: 'development', ...provider.settings, ...settings })).about('listed')
  t.match(await about(), /^ok: Found by discovery, and the client is accepted/)
  t.match(
    await about({ PROVIDER_LISTED_CLIENT_SECRET: 'another' }),
    /^problem: .*rejects the client: invalid_client\. Check PROVIDER_LISTED_CLIENT_ID and PROVIDER_LISTED_CLIENT_SECRET/
  )
  t.match(await about({ PROVIDER_LISTED_CLIENT_ID: 'other' }), /^problem: The authorization endpoint .* status 400/)
  t.match(await about({ PUBLIC_URL: 'https://elsewhere.example.com' }), /^problem: .*must allow the redirect URI/)
  const asA = {
    PROVIDERS: '',
    PROVIDER_A_ISSUER: provider.url,
    PROVIDER_A_REDIRECT_URI: redirectUri,
    PROVIDER_A_CLIENT_SECRET: 'another',
  }
  const { about: found } = await examine({ ...SETTINGS, NODE_ENV: 'development', ...asA })
  t.match(found('provider-a'), /^problem: .*rejects the client: invalid_client\. Check PROVIDER_A_CLIENT_ID/)
})

for (const [what, settings, says] of BROKEN) {
  t.test(`doctor: ${what} (1)`, skip, async t => {
    const { code, of, about } = await examine({ ...SETTINGS, ...settings })
    t.equal(code, 1)
    t.strictSame(of('problem'), Object.keys(says))
    for (const [check, words] of Object.entries(says)) t.match(about(check), words)
  })
}
