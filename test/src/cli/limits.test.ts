import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, createDatabase, JWT_SECRET, redisUrl, withoutRedis } from '../../support/build.ts'
import { runCommand, runWith } from '../../support/cli/in-process.ts'
import { gatehouse } from '../../support/process.ts'
import { addTotp, wrongCode } from '../../support/second-factor.ts'

t.test('limits show, clear: the counters of an address and an account (0)', { skip: withoutRedis }, async t => {
  const { owner, settings } = await createDatabase(t)
  const env = {
    ...settings,
    NODE_ENV: 'test',
    JWT_SECRET,
    REDIS_URL: await redisUrl(t),
    REDIS_PREFIX: `test:${randomBytes(8).toString('hex')}:`,
    LIMIT_ACCOUNT_MAX: '5',
  }
  const { app } = await build(t, { settings: env })
  const limits = (...args: string[]) => runCommand(app, ['limits', ...args], env)
  const browser = createBrowser(app)
  for (let guess = 0; guess < 5; guess++) await browser.signIn('Ada')
  await browser.post('/reset-password', { email: 'ada@example.com' })
  await browser.post('/verify-email', { token: 'none' })
  t.equal((await browser.signIn('ada')).statusCode, 429)

  const [listed, shown, json, account, nobody] = await Promise.all([
    limits('list'),
    limits('show', browser.address),
    limits('show', `::ffff:${browser.address}`, '--json'),
    limits('show', '--account', 'ada', '--json'),
    limits('clear', '2001:db8::9'),
  ])
  t.match(listed, { code: 0, stdout: new RegExp(`^address ${browser.address}  login +5 of 5, .*reached$`, 'm') })
  t.match(listed, { stdout: /^login {3}[\w-]{10} {2}account +5 of 5, /m })
  t.match(shown, {
    code: 0,
    stdout: new RegExp('^10[.]1[.]\\d+[.]\\d+\nlogin +5 of 5, reset in \\d+ s, limit reached\nmail-codes +0 of 5\n' +
      'sensitive +1 of 3, .*\ngeneral +1 of 100, '),
  })
  t.match(JSON.parse(json.stdout), {
    who: browser.address,
    limits: [
      { limit: 'login', count: 5, max: 5, reached: true, resetSeconds: Number },
      { reached: false },
      { reached: false },
    ],
  })
  t.match(JSON.parse(account.stdout), {
    who: 'ada',
    limits: [{ limit: 'account', count: 5, max: 5, reached: true }],
  })
  t.match(nobody, { code: 0, stdout: /There are no counters for 2001:db8:/ })

  t.match(await gatehouse(['limits', 'clear', browser.address], env).ended, {
    code: 0,
    stdout: /Cleared for .*: login, sensitive, general\./,
  })
  t.equal((await browser.signIn('ada')).statusCode, 429, 'the account has its own counter')
  t.match(await limits('clear', '--account', 'ADA'), { code: 0, stdout: /account/ })
  t.equal((await browser.signIn('ada')).statusCode, 401, 'guesses are checked again')
  const { rows } = await owner.query(
    "SELECT subject, actor FROM auth_events WHERE what = 'limits_cleared' ORDER BY id")
  t.strictSame(rows, [browser.address, 'ADA'].map(subject => ({ subject, actor: 'command line' })))
})

t.test('limits show, clear: the wrong codes of an account (0)', { skip: withoutRedis }, async t => {
  const { owner, settings } = await createDatabase(t)
  const env = {
    ...NO_LIMITS,
    ...settings,
    NODE_ENV: 'test',
    JWT_SECRET,
    BCRYPT_COST: '4',
    REDIS_URL: await redisUrl(t),
    REDIS_PREFIX: `test:${randomBytes(8).toString('hex')}:`,
  }
  const { app } = await build(t, { settings: env })
  const limits = (...args: string[]) => runCommand(app, ['limits', ...args], env)
  const user = await createUser(owner)
  const { secret, recoveryCodes } = await addTotp(owner, user.id)
  const browser = createBrowser(app)
  const answer = async (code: string) => {
    await browser.signIn(user.username)
    return (await browser.post('/login/second-factor', { code })).statusCode
  }
  for (let guess = 0; guess < 10; guess++) t.equal(await answer(wrongCode(secret)), 401)
  const [code = ''] = recoveryCodes
  t.equal(await answer(code), 429)

  t.match(await limits('show', '--account', user.username), {
    code: 0,
    stdout: /\naccount +0 of \d+\nsign-ins +11 of [^]*\ncodes +10 of 10, reset in \d+ s, limit reached/,
  })
  t.match(await limits('clear', '--account', user.email), {
    code: 0,
    stdout: `Cleared for ${user.email}: codes.`,
  })
  t.equal(await answer(code), 200)
  const { rows } = await owner.query("SELECT user_id, actor FROM auth_events WHERE what = 'limits_cleared'")
  t.strictSame(rows, [{ user_id: user.id, actor: 'command line' }])
})

t.test('limits: counters in memory (1), Redis down (3)', async t => {
  const env = { NODE_ENV: 'test', JWT_SECRET, DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  const [memory, away] = await Promise.all([
    runWith(env, ['limits', 'show', '203.0.113.7']),
    runWith({ ...env, REDIS_URL: 'redis://:sup3r-s3cret@127.0.0.1:1' }, ['limits', 'clear', '203.0.113.7']),
  ])
  t.match(memory, { code: 1, stderr: /REDIS_URL is not set: each instance counts in its own memory/ })
  t.match(away, { code: 3, stderr: /Cannot connect to Redis: .*ECONNREFUSED/ })
  t.notMatch(away.stderr, 'sup3r')
})
