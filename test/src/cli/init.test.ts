import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config.ts'
import { gatehouse } from '../../support/process.ts'

const SMTP_URL = 'smtps://me:p%27ss$word@mail.example.com'
const ARGS = ['init', '--public-url', 'https://auth.example.com/']

function inFolder (t: Test) {
  const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-init-'))
  t.teardown(() => rmSync(cwd, { recursive: true }))
  return {
    cwd,
    run: (args: string[], input = '') => gatehouse(args, {}, { cwd, input }).ended,
    read: (file = '.env') => parseEnv(readFileSync(join(cwd, file), 'utf8')) as Record<string, string>,
  }
}

t.test('init: settings for deploy/compose.yaml with new secrets, mode 600 (0)', async t => {
  const { cwd, run, read } = inFolder(t)
  const { code, stdout } = await run(
    [...ARGS, '--mail-from', 'Example <no-reply@example.com>', '--json'],
    `${SMTP_URL}\n`
  )
  t.equal(code, 0)
  const written = read()
  t.match(JSON.parse(stdout), { file: '.env', missing: [] })
  t.strictSame(JSON.parse(stdout).written.sort(), Object.keys(written).sort())
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

t.test('init: invalid arguments, no file is written (1)', async t => {
  const { cwd, run } = inFolder(t)
  const refused = await Promise.all([
    run(['init', '--public-url', 'http://auth.example.com']),
    run(ARGS, 'mail.example.com'),
    run(ARGS, "smtps://me:p'ss@mail.example.com"),
    run([...ARGS, '--mail-from', "O'Brien <ob@example.com>"]),
  ])
  t.strictSame(
    refused.map(({ code }) => code),
    [1, 1, 1, 1]
  )
  t.strictSame(readdirSync(cwd), [])
  for (const { stderr } of refused) t.notMatch(stderr, "p'ss")
})
