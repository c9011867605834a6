import bcrypt from 'bcrypt'
import t from 'tap'
import { createBrowser, createUser, PASSWORD } from '../../support/browser.ts'
import { setUp, statusOf } from '../../support/cli/users.ts'

const { app, owner, user, eventsOf, mailTo } = await setUp()

t.test('user add --verified: the account can be used at once (0)', async t => {
  const { code, stdout } = await user(
    ['add', 'ada', 'ada@example.com', '--name', 'Ada Lovelace', '--verified', '--json'],
    `${PASSWORD}\nnot this line\n`
  )
  t.equal(code, 0)
  const { id, ...rest } = JSON.parse(stdout)
  t.strictSame(rest, { username: 'ada', email: 'ada@example.com' })
  t.equal(await statusOf(createBrowser(app).signIn('ada')), 200)
  t.strictSame(await eventsOf(id), ['registered'])
})

t.test('user add: a verification mail is sent (0)', async t => {
  t.match(await user(['add', 'bea', 'bea@example.com'], PASSWORD), {
    code: 0,
    stdout: /Added bea with the id \d+\. A mail to bea@example.com asks/,
  })
  t.equal(await statusOf(createBrowser(app).signIn('bea')), 401, 'not yet')
  const mail = await mailTo('bea@example.com')
  t.equal(await statusOf(createBrowser(app).post('/verify-email', { token: mail?.token })), 204)
  t.equal(await statusOf(createBrowser(app).signIn('bea')), 200)
})

t.test('user add: the rules of registration apply (1)', async t => {
  const { username, email } = await createUser(owner)
  for (const [args, input, stderr] of [
    [['cleo', 'cleo@example.com'], 'password', /must contain uppercase/],
    [[username, 'cleo@example.com'], PASSWORD, /username is taken/],
    [['cleo', email.toUpperCase()], PASSWORD, /email is taken/],
    // Refused before the password is read.
    [['c', 'cleo@example.com'], undefined, /Invalid username: it must have 3 to 32/],
    [['cleo', 'cleo@localhost'], undefined, /Invalid email address/],
    [['cleo', 'cleo..c@example.com'], undefined, /Invalid email address/],
    [['cleo', 'cleo@example.com', '--name', '\u001b[2J'], undefined, /Invalid name/],
    [['cleo', 'cleo@example.com'], undefined, /No password was given/],
  ] as const) t.match(await user(['add', ...args], input), { code: 1, stderr }, args.join(' '))
  t.equal((await owner.query("SELECT FROM users WHERE username = 'cleo'")).rowCount, 0)
})

t.test('user add --hash: the password of the former system signs in (0); what is no hash is refused (1)', async t => {
  const hash = await bcrypt.hash(PASSWORD, 6)
  const added = await user(['add', 'hans', 'hans@example.com', '--hash', '--verified'], `${hash}\n`)
  t.match(added, { code: 0, stdout: /^Added hans with the id \d+\.$/m })
  t.equal(await statusOf(createBrowser(app).signIn('hans')), 200)
  t.match(await user(['add', 'hera', 'hera@example.com', '--hash'], PASSWORD), {
    code: 1, stderr: /passwordHash: not a hash of a known form/,
  })
  t.match(await user(['add', 'hera', 'hera@example.com', '--hash'], ''), { code: 1, stderr: /No hash was given/ })
})
