import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import t from 'tap'
import { runWith } from '../../support/cli/in-process.ts'
import { gatehouse } from '../../support/process.ts'

const COMMANDS = [
  'serve', 'migrate', 'init', 'doctor', 'user', 'limits', 'mails', 'signing-key', 'api-key', 'webhook', 'app',
  'login', 'logout', 'api', 'operator', 'audit', 'restored', 'templates', 'password',
]

t.test('help: every command, with examples and exit codes (0)', async t => {
  const [whole, bare, ofUser, asOption] = await Promise.all(
    [['--help'], [], ['help', 'user'], ['user', '--help']].map(args => gatehouse(args).ended))
  t.match(whole, { code: 0, stderr: '' })
  t.equal(bare?.stdout, whole?.stdout)
  for (const name of COMMANDS) t.match(whole?.stdout, new RegExp(`^  ${name} `, 'm'))
  t.match(whole?.stdout, /Examples\n.*Exit codes\n/s)
  for (const name of COMMANDS) {
    const help = { code: 0, stdout: new RegExp(`^Usage: gatehouse ${name}.*Examples\n  `, 's') }
    t.match(await runWith({}, [name, '--help']), help, name)
    if (name === 'user') t.match(asOption, help)
  }
  t.equal(ofUser?.stdout, asOption?.stdout)
})

t.test('--version, -v: the version of package.json (0)', async t => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [long, short, json] = await Promise.all(
    [['--version'], ['-v'], ['--version', '--json']].map(args => gatehouse(args, {}, { cwd: tmpdir() }).ended)
  )
  t.match(long, { code: 0, stdout: `gatehouse ${version}\n`, stderr: '' })
  t.equal(short?.stdout, long?.stdout)
  t.strictSame(JSON.parse(json?.stdout ?? ''), { version })
})

const WRONG: Array<[args: string[], says: RegExp]> = [
  [['nope'], /Unknown command.*See gatehouse --help/s],
  [['constructor'], /Unknown command/],
  [['user'], /unknown action. Actions: add, invite, change, data, list, import, export, show, download/],
  [['user', 'toString', 'ada'], /unknown action/],
  [['user', 'show'], /Missing: USER/],
  [['user', 'add', 'ada', 'ada@example.com', 'hunter2-Password!'], /Too many arguments.*standard input/],
  [['user', 'add', 'ada', 'ada@example.com', '--password=hunter2-Password!'], /option --password/],
  [['user', 'add', 'ada', 'ada@example.com', '--password', 'hunter2-Password!'], /option --password/],
  [['user', 'list', '--limit', '0'], /--limit must be a number from 1 to 1000/],
  [['user', 'list', '--limit', '5.5'], /--limit must be/],
  [['user', 'list', '--after', 'ada'], /--after must be an id/],
  [['keys'], /unknown action. Actions: list, rotate, retire/],
  [['signing-key', 'retire'], /Missing: KID/],
  [['restored', 'now'], /Unknown action/],
  [['restored', 'confirm', 'operator', 'ada', 'more'], /Too many arguments/],
  [['templates'], /unknown action. Actions: export, check/],
  [['templates', 'check'], /Missing: DIR/],
  [['init'], /Missing: --public-url/],
  [['limits', 'show', 'hunter2-Password!'], /ADDRESS must be/],
  [['password', 'calibrate', '--target', 'soon'], /--target must be/],
  [['serve', '--port', '3000'], /option --port/],
]

t.test('wrong command line: no argument is repeated, it may be a secret (2)', async t => {
  const env = {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    JWT_SECRET: 'kXv4mQ8zR1sT6wY9bC2dF5gH7jK0lN3pU4vX8yZ1aB5cD9eF2gH6iJ0kL3mN7oP1',
  }
  for (const [args, says] of WRONG) {
    // The program itself repeats nothing either, and says more about a command that is not known.
    const isWhole = ['nope', 'keys'].includes(String(args[0])) || args.includes('--password')
    const answer = await (isWhole ? gatehouse(args, env).ended : runWith(env, args, { input: '' }))
    t.match(answer, { code: 2, stdout: '', stderr: says }, args.join(' '))
    t.notMatch(answer.stderr, 'hunter2')
  }
})

t.test('--json: failures are JSON, too', async t => {
  const answers = await Promise.all(
    [
      ['nope', '--json'],
      ['user', 'show', '--json'],
      ['migrate', '--json'],
      ['user', '--help', '--json'],
    ].map(args => gatehouse(args, {}, { cwd: tmpdir() }).ended)
  )
  t.strictSame(
    answers.map(({ code }) => code),
    [2, 2, 1, 0]
  )
  for (const { stdout, stderr } of answers.slice(0, 3)) {
    t.match(JSON.parse(stdout), { error: String })
    t.equal(stderr, '')
  }
})

t.test('PostgreSQL down (3)', async t => {
  const env = {
    DATABASE_URL: 'postgres://gatehouse:sup3r-s3cret@127.0.0.1:1/none',
    JWT_SECRET: 'kXv4mQ8zR1sT6wY9bC2dF5gH7jK0lN3pU4vX8yZ1aB5cD9eF2gH6iJ0kL3mN7oP1',
  }
  for (const answer of await Promise.all([
    gatehouse(['migrate'], env).ended,
    gatehouse(['user', 'show', 'ada'], env).ended,
  ])) {
    t.match(answer, {
      code: 3,
      stdout: '',
      stderr: /Cannot connect to PostgreSQL: .*ECONNREFUSED.*gatehouse doctor/,
    })
    t.notMatch(answer.stderr, 'sup3r')
  }
})
