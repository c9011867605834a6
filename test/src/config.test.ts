import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { loadConfig, Settings, SettingsError, wantsEmbeddedStack } from '../../src/config.ts'
import { gatehouse } from '../support/process.ts'

const SAFE = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://auth.example.com',
  DATABASE_URL: 'postgres://gatehouse@db/gatehouse',
  REDIS_URL: 'redis://cache',
  SMTP_URL: 'smtps://mail.example.com',
  JWT_SECRET: 'kXv4mQ8zR1sT6wY9bC2dF5gH7jK0lN3pU4vX8yZ1aB5cD9eF2gH6iJ0kL3mN7oP1',
}

const problemsOf = (env: Record<string, string>) => {
  try {
    loadConfig({}, env)
    return []
  } catch (error) {
    return (error as SettingsError).problems
  }
}

t.test('safe production settings are accepted', async t => {
  const config = loadConfig({}, SAFE)
  t.match(config, { PORT: 3000, TRUST_PROXY: [], MIGRATE_ON_START: false, LOG_LEVEL: 'info' })
})

t.test('an empty variable counts as not set', async t => {
  t.equal(loadConfig({}, { ...SAFE, PORT: '' }).PORT, 3000)
})

t.test('hooks: a URL needs a choice for when it is away, and a strong secret', async t => {
  const hooks = {
    REGISTRATION_HOOK: 'https://app.example.com/hooks',
    REGISTRATION_HOOK_AWAY: 'refuse',
    SIGN_IN_HOOK: 'https://app.example.com/hooks',
    SIGN_IN_HOOK_AWAY: 'allow',
    HOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  }
  t.strictSame(problemsOf({ ...SAFE, ...hooks }), [])
  t.strictSame(problemsOf({ ...SAFE, ...hooks, SIGN_IN_HOOK_AWAY: '' }), [
    'SIGN_IN_HOOK_AWAY is missing: choose allow or refuse for the time in which SIGN_IN_HOOK gives no answer.',
  ])
  t.strictSame(problemsOf({ ...SAFE, ...hooks, REGISTRATION_HOOK: '' }), [
    'REGISTRATION_HOOK_AWAY is of no use without REGISTRATION_HOOK: set the URL of the hook, or remove the setting.',
  ])
  t.match(problemsOf({ ...SAFE, ...hooks, REGISTRATION_HOOK_AWAY: 'ask' }), [/^REGISTRATION_HOOK_AWAY is "ask"/])
  for (const [url, reason] of [
    ['http://app.example.com/', 'In production, the URL must be https:.'],
    ['app.example.com', 'It is not an https: URL.'],
    ['https://me:secret@app.example.com/', 'The URL must not have a user name or password.'],
    ['https://169.254.169.254/latest', 'The host has a private or special address. See WEBHOOK_PRIVATE.'],
    ['https://[::1]/', 'The host has a private or special address. See WEBHOOK_PRIVATE.'],
  ]) {
    const problems = problemsOf({ ...SAFE, ...hooks, SIGN_IN_HOOK: url as string })
    t.strictSame(problems, [`SIGN_IN_HOOK cannot be used. ${reason}`])
  }
  t.strictSame(problemsOf({ ...SAFE, ...hooks, SIGN_IN_HOOK: 'https://10.0.0.1/', WEBHOOK_PRIVATE: 'allow' }), [])
  const weak = [16, 65].map(size => randomBytes(size)).concat(Buffer.alloc(32))
  for (const secret of ['', 'secret', randomBytes(32).toString('base64'),
    ...weak.map(bytes => `whsec_${bytes.toString('base64')}`)]) {
    t.match(problemsOf({ ...SAFE, ...hooks, HOOK_SECRET: secret }), [/^HOOK_SECRET must be whsec_ and 24 to 64 random/])
  }
})

t.test('settings of version 0.2 that no longer exist are ignored', async t => {
  const former = ['LOGIN', 'GENERAL', 'SENSITIVE', 'ACCOUNT'].map(name => [`LIMIT_${name}_WINDOW`, 'ten'])
  t.strictSame(loadConfig({}, { ...SAFE, ...Object.fromEntries(former) }), loadConfig({}, SAFE))
})

t.test('COOKIE_DOMAIN and APP_ORIGINS: hosts of one site', async t => {
  const apps = 'https://app.example.com, https://example.com:8443'
  const config = loadConfig({}, { ...SAFE, COOKIE_DOMAIN: 'example.com', APP_ORIGINS: apps })
  t.equal(config.COOKIE_DOMAIN, 'example.com')
  t.strictSame(config.APP_ORIGINS, ['https://app.example.com', 'https://example.com:8443'])
  t.strictSame(problemsOf({ ...SAFE, COOKIE_DOMAIN: 'auth.example.com' }), [], 'the host itself')
  t.strictSame(problemsOf({ ...SAFE, APP_ORIGINS: apps }), [], 'without a domain')
  t.strictSame(problemsOf({ ...SAFE, COOKIE_DOMAIN: 'auth.example.com', APP_ORIGINS: 'https://app.example.com' }), [
    'APP_ORIGINS contains https://app.example.com, which is not under COOKIE_DOMAIN: its host would not get the ' +
    'access token.',
  ])
  const hosted = { ...SAFE, PUBLIC_URL: 'https://auth.github.io' }
  t.strictSame(problemsOf({ ...hosted, APP_ORIGINS: 'https://app.github.io' }), [
    'APP_ORIGINS contains https://app.github.io, which is another site than PUBLIC_URL: browsers would never ' +
    'send the cookies.',
  ])
  t.strictSame(problemsOf({ ...hosted, COOKIE_DOMAIN: 'github.io' }), [
    'COOKIE_DOMAIN is the public suffix github.io, which browsers refuse: name your own domain under it.',
  ])
  const development = { ...SAFE, NODE_ENV: 'development', PUBLIC_URL: 'http://localhost:3000' }
  t.strictSame(problemsOf({ ...development, APP_ORIGINS: 'http://localhost:5173' }), [], 'another port')
})

t.test('TRUST_PROXY is a list', async t => {
  t.strictSame(loadConfig({}, { ...SAFE, TRUST_PROXY: '10.0.0.1, fd00::/8' }).TRUST_PROXY, ['10.0.0.1', 'fd00::/8'])
})

const UNSAFE: Array<[setting: string, values: Array<string | undefined>]> = [
  ['JWT_SECRET', [undefined, 'short', 'x'.repeat(64), SAFE.JWT_SECRET.slice(0, 63)]],
  ['JWT_SECRET_PREVIOUS', ['short', 'x'.repeat(64), SAFE.JWT_SECRET]],
  ['DATABASE_URL', [undefined]],
  ['REDIS_URL', [undefined]],
  ['SMTP_URL', [undefined]],
  ['PUBLIC_URL', [undefined, 'http://auth.example.com', 'auth.example.com']],
  ['TRUST_PROXY', ['true', '1', '2', '10.0.0.0/33', 'proxy.example.com', '10.0.0.1,true', '10.0.0.1/']],
  ['PORT', ['http', '70000', '-1', '1e3', '80.5', '0x50']],
  ['LOG_LEVEL', ['loud']],
  ['NODE_ENV', ['prod']],
  ['BCRYPT_COST', ['4', '31']],
  ['TOKEN_AUDIENCES', ['orders,', 'two words', 'x'.repeat(201)]],
  ['BREACHED_PASSWORDS_URL', ['http://api.pwnedpasswords.com/range', 'api.pwnedpasswords.com/range', 'on']],
  ['SIGNING_ALG', ['HS256', 'none']],
  // Of hosting companies too; addresses in each notation; and what is not above auth.example.com.
  ['COOKIE_DOMAIN', ['com', 'co.uk', 'github.io', 'localhost']],
  ['COOKIE_DOMAIN', ['127.0.0.1', '127.1', '2130706433', '::1', '.example.com', 'EXAMPLE.com', 'example.com.']],
  ['COOKIE_DOMAIN', ['other.example', 'app.example.com', 'ample.com', 'x.auth.example.com', 'https://example.com']],
  ['APP_ORIGINS', ['http://app.example.com', 'https://app.example.com/', 'https://app.example.com/path', '*', 'null']],
  ['APP_ORIGINS', ['https://*.example.com', 'app.example.com', 'https://APP.example.com', 'https://app.example.org']],
  ['APP_ORIGINS', ['https://app.example.com,https://evil.example', 'https://app.example.com:443']],
  ['APP_ORIGINS', ['https://a@app.example.com', 'https://app.example.com,']],
]

for (const [setting, values] of UNSAFE) {
  for (const value of values) {
    t.test(`${setting}=${value}: refused in one line`, async t => {
      const { [setting]: _, ...rest } = SAFE as Record<string, string>
      const problems = problemsOf(value === undefined ? rest : { ...rest, [setting]: value })
      t.equal(problems.length, 1, problems.join(' | '))
      t.match(problems[0], setting)
    })
  }
}

t.test('BCRYPT_COST below 10: accepted in tests only', async t => {
  for (const NODE_ENV of ['production', 'development', '']) {
    for (const BCRYPT_COST of ['4', '9']) {
      const problems = problemsOf({ ...SAFE, NODE_ENV, BCRYPT_COST })
      t.match(problems, [/^BCRYPT_COST is \d: .*10/], `${NODE_ENV} ${BCRYPT_COST}`)
    }
  }
  t.strictSame(problemsOf({ ...SAFE, NODE_ENV: 'test', BCRYPT_COST: '4' }), [])
  t.match(problemsOf({ ...SAFE, NODE_ENV: 'test', BCRYPT_COST: '3' }), [/^BCRYPT_COST/])
})

t.test('OPENID_DOCUMENTS_PRIVATE=allow: not in production', async t => {
  const settings = { ...SAFE, OPENID_DOCUMENTS_PRIVATE: 'allow' }
  t.match(problemsOf(settings), [/^OPENID_DOCUMENTS_PRIVATE must be refuse in production/])
  t.strictSame(problemsOf({ ...settings, NODE_ENV: 'test' }), [])
})

/** What is refused in every environment, its one line, and similar values that are accepted. */
const REFUSED: Array<[setting: string, line: RegExp, bad: string[], good: string[]]> = [
  [
    'TRUST_PROXY',
    /^TRUST_PROXY covers every client.*list only your reverse proxies/,
    [
      '0.0.0.0/0',
      '10.0.0.0/0',
      '::/0',
      '::ffff:0:0/96',
      '::/1',
      '0.0.0.0/1,128.0.0.0/1',
      '128.0.0.0/1, 10.0.0.1, 0.0.0.0/1',
      '0.0.0.0/2,64.0.0.0/2,128.0.0.0/2,192.0.0.0/2',
      '0.0.0.0/1,::ffff:128.0.0.0/97',
      '1.0.0.0/8,2.0.0.0/7,4.0.0.0/6,8.0.0.0/7,11.0.0.0/8,12.0.0.0/6,16.0.0.0/4,32.0.0.0/3,64.0.0.0/2,128.0.0.0/1',
      '::/1,8000::/1',
      '2000::/3',
      '2000::/4,3000::/5,3800::/5',
    ],
    [
      '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,127.0.0.0/8',
      '128.0.0.0/1',
      '0.0.0.0/2,128.0.0.0/1',
      '8000::/1',
      '2000::/4,3800::/5',
      'fd00::/8,fe80::/10,::1',
      '::ffff:10.0.0.0/104',
    ],
  ],
  [
    'PUBLIC_URL',
    /^PUBLIC_URL must be only a scheme and a host.*path, query or fragment/,
    [
      'https://auth.example.com/auth',
      'https://auth.example.com//',
      'https://auth.example.com?',
      'https://auth.example.com/?a=b',
      'https://auth.example.com#top',
      'https://me@auth.example.com',
      'https://auth.example.com\t',
      'https:\\\\auth.example.com',
    ],
    ['https://auth.example.com/', 'https://AUTH.example.com:8443', 'https://[::1]:3000/'],
  ],
  [
    'LOGIN_REDIRECT',
    /^LOGIN_REDIRECT must be a path on this host other than \/login, such as \/dashboard/,
    [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/app\n',
      '/.//evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      'dashboard',
      ' /dashboard',
      '/login',
    ],
    ['/', '/app/home?tab=1#top', '/a//b'],
  ],
]

for (const [setting, line, bad, good] of REFUSED) {
  for (const value of bad) {
    t.test(`${setting}=${JSON.stringify(value)}: refused in every environment`, async t => {
      for (const NODE_ENV of ['production', 'development']) {
        const problems = problemsOf({ ...SAFE, NODE_ENV, [setting]: value })
        t.equal(problems.length, 1, problems.join(' | '))
        t.match(problems[0], line)
      }
    })
  }
  t.test(`${setting}: ${good.length} similar values are accepted`, async t => {
    for (const value of good) t.strictSame(problemsOf({ ...SAFE, [setting]: value }), [], value)
  })
}

const CLIENTS = {
  PROVIDER_A_CLIENT_ID: 'a',
  PROVIDER_A_CLIENT_SECRET: 'secret',
  PROVIDER_B_CLIENT_ID: 'b',
  PROVIDER_B_CLIENT_SECRET: 'secret',
}
const PROVIDER_URLS = Object.keys(Settings.properties).filter(name => /^PROVIDER_._(\w+_URL|REDIRECT_URI)$/.test(name))

t.test('providers: settings that are accepted', async t => {
  t.strictSame(problemsOf({ ...SAFE, ...CLIENTS }), [])
  t.equal(PROVIDER_URLS.length, 9)
  for (const name of PROVIDER_URLS) {
    const settings = { ...SAFE, [name]: 'http://provider.example/path' }
    t.strictSame(problemsOf({ ...settings, ...CLIENTS, NODE_ENV: 'development' }), [], 'http: outside production')
    t.strictSame(problemsOf(settings), [], 'the provider is off')
    t.strictSame(problemsOf({ ...SAFE, ...CLIENTS, [name]: 'https://provider.example/path' }), [])
  }
})

for (const name of PROVIDER_URLS) {
  t.test(`${name}: refused as http: in production, and if it is not a URL`, async t => {
    for (const [NODE_ENV, value, line] of [
      ['production', 'http://provider.example/path', /must be an https:\/\/ URL: codes, tokens/],
      ['production', 'http://127.0.0.1/path', /must be an https:\/\/ URL: codes, tokens/],
      ['production', 'provider.example', /must be an https:\/\/ URL/],
      ['development', 'provider.example', /must be a complete URL, such as/],
      ['development', 'https://', /must be a complete URL, such as/],
      ['development', 'provider.example:443/path', /must be a complete URL, such as/],
    ] as const) {
      const problems = problemsOf({ ...SAFE, ...CLIENTS, NODE_ENV, [name]: value })
      t.equal(problems.length, 1, `${NODE_ENV} ${value}: ${problems.join(' | ')}`)
      t.match(problems[0], line)
      t.ok(problems[0]?.startsWith(`${name} `))
    }
  })
}

for (const provider of ['PROVIDER_A', 'PROVIDER_B']) {
  t.test(`${provider}_CLIENT_ID without a secret: refused in every environment`, async t => {
    for (const NODE_ENV of ['production', 'development']) {
      t.match(problemsOf({ ...SAFE, ...CLIENTS, NODE_ENV, [`${provider}_CLIENT_SECRET`]: '' }), [
        new RegExp(`^${provider}_CLIENT_SECRET is missing: .*remove the client ID to turn the provider off`),
      ])
    }
    t.strictSame(problemsOf({ ...SAFE, ...CLIENTS, [`${provider}_CLIENT_ID`]: '' }), [], 'a secret alone')
  })
}

t.test('the embedded stack runs without settings, never in production', async t => {
  t.ok(wantsEmbeddedStack({}))
  t.notOk(wantsEmbeddedStack({ DATABASE_URL: 'postgres://db' }))
  t.notOk(wantsEmbeddedStack({ NODE_ENV: 'production' }))
})

t.test('serve: production without settings, one line each, exit code 1', async t => {
  const { code, stderr, stdout } = await gatehouse(['serve'], { NODE_ENV: 'production' }).ended
  t.equal(code, 1)
  t.equal(stdout, '')
  const lines = stderr.trim().split('\n')
  t.strictSame(
    lines.map(line => line.split(' ')[0]),
    ['DATABASE_URL', 'JWT_SECRET', 'REDIS_URL', 'SMTP_URL', 'PUBLIC_URL']
  )
})

const rowOf = ([name, schema]: [name: string, schema: { default?: unknown, description?: string }]) => {
  const value = String(schema.default ?? '')
  return `| \`${name}\` | ${value && `\`${value}\``} | ${schema.description} |`
}
const rowsIn = (file: string, section: string) => {
  const [, text = ''] = readFileSync(file, 'utf8').split(`\n## ${section}\n`)
  const [table = ''] = text.split('\n## ')
  return table.split('\n').filter(line => /^\| `[A-Z_]+` \|/.test(line))
}

t.test('docs/configuration.md lists each setting with its default and its description', async t => {
  t.strictSame(rowsIn('docs/configuration.md', 'All settings'), Object.entries(Settings.properties).map(rowOf))
})

t.test('the README lists eleven settings, each with the default and description of its schema', async t => {
  const rows = rowsIn('README.md', 'Settings')
  t.equal(rows.length, 11)
  t.ok(rows.some(row => row.startsWith('| `PORT` |')))
  t.strictSame(rows, Object.entries(Settings.properties).map(rowOf).filter(row => rows.includes(row)))
})
