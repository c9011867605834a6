import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../browser.ts'
import { build, createDatabase, JWT_SECRET, secrets } from '../../helper.ts'
import { eventually, gatehouse } from '../../process.ts'
import { startSmtp } from '../../smtp.ts'

const NEW_PASSWORD = 'velvet-Anchor-77-moss!'
secrets.add(NEW_PASSWORD)

const { owner, settings } = await createDatabase(t)
const smtp = await startSmtp(t)
const env = { ...settings, ...NO_LIMITS, NODE_ENV: 'test', JWT_SECRET, SMTP_URL: smtp.url, BCRYPT_COST: '10' }
const { app } = await build(t, { settings: env })

async function user (args: string[], input = '') {
  const answer = await gatehouse(['user', ...args], env, { input }).ended
  for (const secret of secrets) if ((answer.stdout + answer.stderr).includes(secret)) throw new Error('a secret was told')
  return answer
}

const eventsOf = async (id: string) => (await owner.query('SELECT what FROM auth_events WHERE user_id = $1 AND ip IS NULL ORDER BY id', [id])).rows.map(({ what }) => what)
const statusOf = async (answer: Promise<{ statusCode: number }>) => (await answer).statusCode
const mailTo = (reader: string) => eventually(() => smtp.mails.find(mail => mail.reader === reader), Boolean, 20_000)

t.test('user add: the account is open when the operator knows the address (0)', async t => {
  const { code, stdout } = await user(['add', 'ada', 'ada@example.com', '--name', 'Ada Lovelace', '--verified', '--json'], `${PASSWORD}\nnot this line\n`)
  t.equal(code, 0)
  const { id, ...rest } = JSON.parse(stdout)
  t.strictSame(rest, { username: 'ada', email: 'ada@example.com' })
  t.equal(await statusOf(createBrowser(app).signIn('ada')), 200)
  t.strictSame(await eventsOf(id), ['registered'])
})

t.test('user add: else its owner is asked by mail (0)', async t => {
  t.match(await user(['add', 'bea', 'bea@example.com'], PASSWORD), { code: 0, stdout: /Added bea with the id \d+\. A mail to bea@example.com asks/ })
  t.equal(await statusOf(createBrowser(app).signIn('bea')), 401, 'not yet')
  const mail = await mailTo('bea@example.com')
  t.equal(await statusOf(createBrowser(app).post('/verify-email', { token: mail?.token })), 204)
  t.equal(await statusOf(createBrowser(app).signIn('bea')), 200)
})

t.test('user add: the rules of a registration hold (1)', async t => {
  const { username, email } = await createUser(owner)
  const refused = await Promise.all([
    user(['add', 'cleo', 'cleo@example.com'], 'password'),
    user(['add', username, 'cleo@example.com'], PASSWORD),
    user(['add', 'cleo', email.toUpperCase()], PASSWORD),
    user(['add', 'c', 'cleo@example.com'], PASSWORD),
    user(['add', 'cleo', 'cleo'], PASSWORD),
    user(['add', 'cleo', 'cleo@example.com']),
  ])
  t.strictSame(refused.map(({ code }) => code), Array(6).fill(1))
  for (const [index, words] of [/must contain uppercase/, /username is taken/, /email is taken/, /username cannot be taken: 3 to 32/, /email cannot be taken/, /No password was given/].entries()) t.match(refused[index]?.stderr, words)
  t.equal((await owner.query("SELECT FROM users WHERE username = 'cleo'")).rowCount, 0)
})

t.test('user show: the account and its sessions, and nothing that steers a terminal (0)', async t => {
  const { id, username, email } = await createUser(owner, { name: '\u001b[2JDora' })
  const browser = createBrowser(app)
  await browser.signIn(username)
  const [plain, json] = await Promise.all([user(['show', username]), user(['show', email, '--json'])])
  t.match(plain, { code: 0, stdout: new RegExp(`^id {8}${id}\nusername {2}${username}\n.*\nname {6}\\[2JDora\n.*state {5}enabled\nsessions {2}1\n {10}Firefox on Linux, ${browser.address.replaceAll('.', '\\.')}, since`, 's') })
  t.match(JSON.parse(json.stdout), { user: { id, username, email, hasPassword: true, disabledAt: null }, sessions: [{ ip: browser.address, device: 'Firefox on Linux' }] })
  t.notMatch(plain.stdout + json.stdout, '$2b$')
  t.match(await user(['show', 'nobody']), { code: 1, stdout: '', stderr: /no such account/ })
})

t.test('user set-password: every session ends, the owner is told, and the new one works (0)', async t => {
  const { id, username, email } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  t.match(await user(['set-password', username], 'password\n'), { code: 1, stderr: /must contain/ })
  t.equal(await statusOf(browser.refresh()), 200, 'a weak one changes nothing')

  t.match(await user(['set-password', username], `${NEW_PASSWORD}\n`), { code: 0, stdout: /every session has ended/ })
  t.equal(await statusOf(browser.refresh()), 401)
  t.equal(await statusOf(createBrowser(app).signIn(username)), 401)
  t.equal(await statusOf(createBrowser(app).signIn(username, NEW_PASSWORD)), 200)
  t.strictSame(await eventsOf(id), ['password_set'])
  t.match((await mailTo(email))?.subject, /password/i)
})

t.test('user end-sessions, disable, enable (0)', async t => {
  const { id, username } = await createUser(owner)
  const [phone, laptop] = [createBrowser(app), createBrowser(app)]
  for (const browser of [phone, laptop]) await browser.signIn(username)
  t.match(await user(['end-sessions', `id:${id}`]), { code: 0, stdout: /2 sessions ended/ })
  for (const browser of [phone, laptop]) t.equal(await statusOf(browser.refresh()), 401)

  await phone.signIn(username)
  t.match(await user(['disable', username]), { code: 0, stdout: /is disabled, and every session has ended/ })
  t.equal(await statusOf(phone.refresh()), 401)
  t.equal(await statusOf(phone.signIn(username)), 401)
  t.match(await user(['disable', username]), { code: 0, stdout: /disabled already/ })

  t.match(JSON.parse((await user(['enable', username, '--json'])).stdout), { id, disabled: false, changed: true })
  t.equal(await statusOf(phone.refresh()), 401, 'what has ended stays so')
  t.equal(await statusOf(phone.signIn(username)), 200)
  t.strictSame(await eventsOf(id), ['all_sessions_ended', 'account_disabled', 'account_enabled'])
})

t.test('user set-password: not for an account that signs in through a provider (1)', async t => {
  const { email } = await createUser(owner, { password_hash: null, provider: 'provider_a', provider_a_id: '1' })
  t.match(await user(['set-password', email], NEW_PASSWORD), { code: 1, stderr: /through a provider/ })
})

t.test('in a terminal the password is asked for twice, without echo', async t => {
  const { username } = await createUser(owner)
  const command = `${process.execPath} src/cli/gatehouse.js user set-password ${username}`
  for (const [again, says] of [['another-Anchor-78-moss!', 'not the same: nothing was done'], [NEW_PASSWORD, 'every session has ended']] as const) {
    const terminal = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], { env: { PATH: process.env.PATH, ...env } })
    const ended = once(terminal, 'close')
    let screen = ''
    terminal.stdout.on('data', chunk => { screen += chunk })
    await eventually(() => screen, shown => shown.includes('New password: '), 20_000)
    terminal.stdin.write(`${NEW_PASSWORD}\r`)
    await eventually(() => screen, shown => shown.includes('Again: '), 20_000)
    terminal.stdin.write(`${again}\r`)
    const [code] = await ended
    t.match(screen, says)
    t.equal(code, again === NEW_PASSWORD ? 0 : 1)
    t.notMatch(screen, 'nchor', 'nothing typed is on the screen')
  }
  t.equal(await statusOf(createBrowser(app).signIn(username, NEW_PASSWORD)), 200)
})
