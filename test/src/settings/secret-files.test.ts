import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig, Settings, wantsEmbeddedStack, type Config, type SettingsError } from '../../../src/config.ts'
import { SECRETS } from '../../../src/settings/secret-files.ts'
import { makeFolder } from '../../support/folder.ts'
import { gatehouse } from '../../support/process.ts'

const VALUES: Record<string, string> = {
  DATABASE_URL: 'postgres://gatehouse:s3cret@db/gatehouse',
  MIGRATION_DATABASE_URL: 'postgres://owner:s3cret@db/gatehouse',
  REDIS_URL: 'redis://:s3cret@cache',
  JWT_SECRET: 'kXv4mQ8zR1sT6wY9bC2dF5gH7jK0lN3pU4vX8yZ1aB5cD9eF2gH6iJ0kL3mN7oP1',
  JWT_SECRET_PREVIOUS: 'aXv4mQ8zR1sT6wY9bC2dF5gH7jK0lN3pU4vX8yZ1aB5cD9eF2gH6iJ0kL3mN7oP1',
  SMTP_URL: 'smtps://user:s3cret@mail.example.com',
  HOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  PROVIDER_A_CLIENT_SECRET: 's3cret-of-a',
  PROVIDER_B_CLIENT_SECRET: ' s3cret of b ',
}
const OTHERS = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://auth.example.com',
  PROVIDER_A_CLIENT_ID: 'a',
  PROVIDER_B_CLIENT_ID: 'b',
}

/** Writes each value to a file of its own. */
function filesFor (dir: string, values: Record<string, string>, end = '\n'): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => {
    writeFileSync(join(dir, name), value + end)
    return [`${name}_FILE`, join(dir, name)]
  }))
}

function problemsOf (env: Record<string, string>): string[] {
  try {
    loadConfig({}, env)
    return []
  } catch (error) {
    return (error as SettingsError).problems
  }
}

t.test('every setting with a secret can be a file', async t => {
  t.strictSame(SECRETS, Object.keys(VALUES))
  const isPublic = /_(AUTHORIZE|TOKEN|USERINFO|EMAILS)_URL$|^(PUBLIC|OPERATOR|BREACHED_PASSWORDS)_URL$/
  const suspects = Object.keys(Settings.properties).filter(name => /SECRET|PASSWORD|_KEY$|_URL$/.test(name))
  t.strictSame(suspects.filter(name => !isPublic.test(name)), SECRETS, 'none is forgotten')
  for (const end of ['', '\n', '\r\n']) {
    const config = loadConfig({}, { ...OTHERS, ...filesFor(makeFolder(t), VALUES, end) })
    for (const [name, value] of Object.entries(VALUES)) t.equal(config[name as keyof Config], value, name)
  }
  t.equal(wantsEmbeddedStack({ DATABASE_URL_FILE: '/run/secrets/database-url' }), false)
})

t.test('only one line break at the end is removed', async t => {
  const files = filesFor(makeFolder(t), { PROVIDER_A_CLIENT_SECRET: 's3cret\n' })
  t.equal(loadConfig({}, { ...OTHERS, ...VALUES, PROVIDER_A_CLIENT_SECRET: '', ...files }).PROVIDER_A_CLIENT_SECRET,
    's3cret\n')
})

t.test('a file that cannot be used: refused in one line without the secret', async t => {
  const dir = makeFolder(t)
  writeFileSync(join(dir, 'empty'), '')
  writeFileSync(join(dir, 'line-break'), '\n')
  mkdirSync(join(dir, 'folder'))
  for (const [name, value] of Object.entries(VALUES)) {
    const env = { ...OTHERS, ...VALUES, [name]: '' }
    for (const [path, line] of [
      [join(dir, 'missing'), `${name}_FILE is ${dir}/missing: the file cannot be read (ENOENT).`],
      [join(dir, 'folder'), `${name}_FILE is ${dir}/folder: the file cannot be read (EISDIR).`],
      [join(dir, 'empty'), `${name}_FILE is ${dir}/empty: the file is empty.`],
      [join(dir, 'line-break'), `${name}_FILE is ${dir}/line-break: the file is empty.`],
    ]) t.strictSame(problemsOf({ ...env, [`${name}_FILE`]: path as string }), [line])
    t.strictSame(problemsOf({ ...env, ...filesFor(dir, { [name]: value }), [name]: value }),
      [`${name} and ${name}_FILE are both set: remove one of them.`])
  }
  t.strictSame(problemsOf({ ...OTHERS, ...VALUES, JWT_SECRET: '', SMTP_URL: '', JWT_SECRET_FILE: '/missing' }).map(
    line => line.split(' ')[0]), ['JWT_SECRET_FILE', 'SMTP_URL'], 'other problems are reported too')
})

t.test('serve and doctor read the files, and refuse the same', async t => {
  const dir = makeFolder(t)
  const env = { ...OTHERS, ...filesFor(dir, VALUES) }
  const found = await gatehouse(['doctor'], env).ended
  t.match(found.stdout, new RegExp(`^ok +secret files +Read from files: ${Object.keys(VALUES).join(', ')}\\.$`, 'm'))
  t.notMatch(found.stdout + found.stderr, 's3cret')
  const broken = { ...env, REDIS_URL_FILE: join(dir, 'none') }
  const line = `REDIS_URL_FILE is ${dir}/none: the file cannot be read (ENOENT).`
  t.strictSame(await gatehouse(['serve'], broken).ended, { code: 1, signal: null, stdout: '', stderr: `${line}\n` })
  const { code, stdout } = await gatehouse(['doctor', '--json'], broken).ended
  t.equal(code, 1)
  const { findings } = JSON.parse(stdout) as { findings: Array<{ check: string, state: string, message: string }> }
  const about = (check: string) => findings.find(finding => finding.check === check)
  t.match(about('REDIS_URL_FILE'), { state: 'problem', message: line })
  t.match(about('redis'), { state: 'skipped' })
  t.notMatch(about('secret files')?.message, 'REDIS_URL')
})
