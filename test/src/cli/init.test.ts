import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config.ts'
import { runWith } from '../../support/cli/in-process.ts'
import { gatehouse } from '../../support/process.ts'

const SMTP_URL = 'smtps://me:p%27ss$word@mail.example.com'
const ARGS = ['init', '--public-url', 'https://auth.example.com/']

function inFolder (t: Test) {
  const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-init-'))
  t.teardown(() => rmSync(cwd, { recursive: true }))
  return {
    cwd,
    run: (args: string[], input = '') => runWith({}, args, { cwd, input }),
    read: (file = '.env') => parseEnv(readFileSync(join(cwd, file), 'utf8')) as Record<string, string>,
  }
}

t.test('init: settings for deploy/compose.yaml with new secrets, mode 600 (0)', async t => {
  const { cwd, read } = inFolder(t)
  const args = [...ARGS, '--mail-from', 'Example <no-reply@example.com>', '--json']
  const { code, stdout } = await gatehouse(args, {}, { cwd, input: `${SMTP_URL}\n` }).ended
  t.equal(code, 0)
  const written = read()
  t.strictSame(JSON.parse(stdout), { file: '.env', files: ['.env'], missing: [] })
  t.equal(statSync(join(cwd, '.env')).mode & 0o777, 0o600)
  t.match(written, { PUBLIC_URL: 'https://auth.example.com', SMTP_URL, MAIL_FROM: 'Example <no-reply@example.com>' })
  for (const secret of ['JWT_SECRET', 'POSTGRES_PASSWORD', 'GATEHOUSE_DB_PASSWORD', 'REDIS_PASSWORD']) {
    t.match(written[secret], /^[\w-]{43,}$/, 'needs no encoding in a URL')
    t.notMatch(stdout, written[secret])
  }
  const compose = readFileSync('deploy/compose.yaml', 'utf8')
  const required = compose.matchAll(/\$\{(\w+):\?/g)
  // These can be in files instead.
  const withFiles = compose.matchAll(/\$\{(\w+)_FILE:-/g)
  const asked = new Set([...required, ...withFiles].map(([, name]) => name))
  asked.delete('JWT_SECRET_PREVIOUS')
  t.strictSame([...asked].sort(), Object.keys(written).sort(), 'exactly the variables of compose.yaml')
  t.doesNotThrow(() =>
    loadConfig({ ...written, NODE_ENV: 'production', DATABASE_URL: 'postgres://db', REDIS_URL: 'redis://cache' }, {})
  )
})

t.test('init: an existing file is kept (1), with --force replaced (0)', async t => {
  const { cwd, run, read } = inFolder(t)
  writeFileSync(join(cwd, 'mine.env'), 'A=1\n', { mode: 0o644 })
  t.match(await run([...ARGS, '--file', 'mine.env']), { code: 1, stderr: /mine.env already exists/ })
  t.strictSame(read('mine.env'), { A: '1' })
  t.match(await run([...ARGS, '--file', 'mine.env', '--force']), {
    code: 0,
    stdout: /Wrote mine.env.*\nAdd SMTP_URL before/,
  })
  t.equal(read('mine.env').SMTP_URL, '')
  t.equal(statSync(join(cwd, 'mine.env')).mode & 0o777, 0o600)
  t.strictSame(readdirSync(cwd), ['mine.env'])
})

t.test('init --debian: settings, and each secret in a file; only root can read those of the owner (0)', async t => {
  const { cwd, run, read } = inFolder(t)
  const { code, stdout } = await run([...ARGS, '--debian', '--folder', 'etc', '--json'], `${SMTP_URL}\n`)
  t.equal(code, 0)
  const { files } = JSON.parse(stdout)
  const modes = Object.fromEntries(files.map((file: string) => [file, statSync(join(cwd, file)).mode & 0o777]))
  const secret = (name: string) => join('etc/credentials', name)
  t.strictSame(modes, {
    'etc/gatehouse.env': 0o640,
    [secret('database-url')]: 0o640,
    [secret('redis-url')]: 0o640,
    [secret('jwt-secret')]: 0o640,
    [secret('smtp-url')]: 0o640,
    [secret('migration-database-url')]: 0o600,
    [secret('postgresql.sql')]: 0o600,
    [secret('redis.conf')]: 0o600,
  })
  t.equal(statSync(join(cwd, 'etc')).mode & 0o777, 0o750)

  const config = loadConfig({}, { ...read('etc/gatehouse.env'), NODE_ENV: 'production' })
  t.match(config, { PUBLIC_URL: 'https://auth.example.com', SMTP_URL, TRUST_PROXY: ['127.0.0.1'] })
  const text = (name: string) => readFileSync(join(cwd, secret(name)), 'utf8')
  for (const [url, file] of [
    [config.DATABASE_URL ?? '', 'postgresql.sql'],
    [text('migration-database-url'), 'postgresql.sql'],
    [config.REDIS_URL ?? '', 'redis.conf'],
  ] as const) {
    t.match(text(file), new URL(url).password)
    t.notMatch(stdout, new URL(url).password)
  }
})

t.test('init --debian: one existing file keeps all from being written (1)', async t => {
  const { cwd, run } = inFolder(t)
  t.match(await run([...ARGS, '--debian', '--folder', 'etc']), { code: 0 })
  const before = readFileSync(join(cwd, 'etc/credentials/jwt-secret'), 'utf8')
  rmSync(join(cwd, 'etc/gatehouse.env'))
  const again = await run([...ARGS, '--debian', '--folder', 'etc'])
  t.match(again, { code: 1, stderr: /jwt-secret.* already exist and were not changed/ })
  t.strictSame(readdirSync(join(cwd, 'etc')), ['credentials'])
  t.equal(readFileSync(join(cwd, 'etc/credentials/jwt-secret'), 'utf8'), before)
})

t.test('init --kubernetes: the two files of kustomization.yaml (0), hosts are required (2)', async t => {
  const { cwd, run, read } = inFolder(t)
  t.match(await run([...ARGS, '--kubernetes', '--database-host', 'db']), { code: 2, stderr: /Missing: --redis-host/ })
  t.match(await run([...ARGS, '--kubernetes', '--database-host', 'db/x', '--redis-host', 'r']), { code: 1 })
  t.strictSame(readdirSync(cwd), [])
  const hosts = ['--database-host', 'db-rw.data.svc:5433', '--redis-host', 'redis']
  t.match(await run([...ARGS, '--kubernetes', ...hosts], `${SMTP_URL}\n`), { code: 0 })
  t.strictSame(readdirSync(cwd).sort(), ['migration.env', 'postgresql.sql', 'service.env'])
  // Kustomize takes the value as it is.
  t.notMatch(readFileSync(join(cwd, 'service.env'), 'utf8'), /='/)
  t.match(read('service.env').DATABASE_URL, /^postgres:\/\/gatehouse:[\w-]{43}@db-rw\.data\.svc:5433\/gatehouse$/)
  t.match(read('migration.env').MIGRATION_DATABASE_URL, /^postgres:\/\/gatehouse_owner:[\w-]{43}@db-rw/)
  t.match(loadConfig({ ...read('service.env'), NODE_ENV: 'production' }, {}), { SMTP_URL })
})

t.test('init: two targets, or a file where a folder is expected (2)', async t => {
  const { cwd, run } = inFolder(t)
  t.match(await run([...ARGS, '--debian', '--compose']), { code: 2, stderr: /Choose one of --compose, --debian/ })
  t.match(await run([...ARGS, '--debian', '--file', 'x']), { code: 2, stderr: /--debian has no --file/ })
  t.match(await run([...ARGS, '--folder', 'x']), { code: 2, stderr: /--compose has no --folder/ })
  t.strictSame(readdirSync(cwd), [])
})

t.test('init: invalid arguments, no file is written (1)', async t => {
  const { cwd, run } = inFolder(t)
  for (const [args, input] of [
    [['init', '--public-url', 'http://auth.example.com']],
    [ARGS, 'mail.example.com'],
    [ARGS, "smtps://me:p'ss@mail.example.com"],
    [[...ARGS, '--mail-from', "O'Brien <ob@example.com>"]],
  ] as Array<[args: string[], input?: string]>) {
    const { code, stderr } = await run(args, input)
    t.equal(code, 1)
    t.notMatch(stderr, "p'ss")
    t.strictSame(readdirSync(cwd), [])
  }
})
