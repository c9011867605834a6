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
  ['TRUST_PROXY', ['true', '1', '2', '0.0.0.0/0', '::/0', '10.0.0.0/33', 'proxy.example.com', '10.0.0.1,true']],
  ['PORT', ['http', '70000', '-1', '1e3', '80.5', '0x50']],
  ['LOG_LEVEL', ['loud']],
  ['NODE_ENV', ['prod']],
  ['BCRYPT_COST', ['4', '31']],
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

t.test('BCRYPT_COST below 10: refused in production and development, allowed in tests only', async t => {
  for (const NODE_ENV of ['production', 'development', '']) {
    for (const BCRYPT_COST of ['4', '9']) {
      t.match(problemsOf({ ...SAFE, NODE_ENV, BCRYPT_COST }), [/^BCRYPT_COST is \d: .*10/], `${NODE_ENV} ${BCRYPT_COST}`)
    }
  }
  t.strictSame(problemsOf({ ...SAFE, NODE_ENV: 'test', BCRYPT_COST: '4' }), [])
  t.match(problemsOf({ ...SAFE, NODE_ENV: 'test', BCRYPT_COST: '3' }), [/^BCRYPT_COST/])
})

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

t.test('the README lists ten settings, each with the default and description of its schema', async t => {
  const rows = rowsIn('README.md', 'Settings')
  t.equal(rows.length, 10)
  t.strictSame(rows, Object.entries(Settings.properties).map(rowOf).filter(row => rows.includes(row)))
})
