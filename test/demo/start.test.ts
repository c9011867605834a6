import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { processesOf, untilNoneOf } from '../support/cli/npm-start.ts'
import { gatehouse } from '../support/process.ts'

const OPEN = /Gatehouse is running at (http:\/\/localhost:\d+)/

const NO_DEMO = { code: 1, stdout: '', stderr: /^Nothing is configured, and no demo is running[^\n]+\n$/ }

function emptyFolder (t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-start-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const RESOURCE = {
  OPENID_RESOURCES: 'orders',
  OPENID_RESOURCE_ORDERS_URI: 'https://api.example.com',
  OPENID_RESOURCE_ORDERS_DESCRIPTION: 'Your orders',
  OPENID_RESOURCE_ORDERS_SCOPES: 'orders:read',
}

function start (t: Test, cwd: string, settings: Record<string, string> = {}) {
  const service = gatehouse(['serve'], { PORT: '0', BCRYPT_COST: '10', ...settings }, { cwd })
  t.teardown(() => service.child.kill('SIGKILL'))
  return service
}

t.test('npm start without settings: healthy, data kept, no process left', async t => {
  const dir = emptyFolder(t)

  const first = start(t, dir)
  const [, url] = await first.until(OPEN)
  t.equal(
    await (await fetch(`${url}/openapi.json`)).text(),
    readFileSync('openapi.json', 'utf8'),
    'the routes of the demo are not documented'
  )
  const health = await fetch(`${url}/health`)
  t.equal(health.status, 200)
  t.match(await health.json(), { status: 'healthy', checks: { server: 'ok', database: 'ok', cache: 'ok' } })
  t.match(first.output.stdout, 'demo / correct-Horse-42-staple')
  t.match(first.output.stdout, `Sign in, then add one: ${url}/dashboard#factors`)
  const tour = await fetch(`${url}/`)
  t.equal(tour.url, `${url}/gatehouse/demo`, 'a first visit shows what can be tried')
  const [, ...addresses] = (await tour.text()).match(/(?<=class="button" href=")[^"]+/g) ?? []
  t.ok(addresses.length >= 14)
  for (const address of addresses) {
    const { status } = await fetch(new URL(address, url), { redirect: 'manual' })
    t.equal(status, address.startsWith('/api/auth/') ? 302 : 200, address)
  }
  const [, mailbox = ''] = await first.until(/Mailbox +(\S+)/)
  t.equal((await fetch(mailbox)).status, 200, 'the mailbox is at the printed address')
  const [, application = ''] = await first.until(/Application +(http:\/\/127\.0\.0\.1:\d+) /)
  t.match(await (await fetch(application)).text(), 'Sign in with Gatehouse')
  const links = new Set((await (await fetch(`${url}/login`)).text()).match(/(?<=href=")\/api\/auth\/[\w-]+/g))
  t.equal(links.size, 3, 'as many providers as the help says')
  t.match((await gatehouse(['serve', '--help'], {}, { cwd: dir }).ended).stdout, 'three demo identity providers')
  t.ok(processesOf(dir).length > 0)
  const secrets = readFileSync(join(dir, '.data/secrets.json'), 'utf8')

  await t.test('npm start: the demo operator signs in with the code that the demo shows (204)', async t => {
    const [, operators = ''] = await first.until(/Operators +(http:\/\/localhost:\d+\/operator\/)\n/)
    const [, username, password] = await first.until(/Demo operator +(\S+) \/ (\S+)/)
    const [, codePage = ''] = await first.until(/Code +(\S+)/)
    t.match(first.output.stdout, `Operators at ${operators}`, 'the log names the same address: passkeys need a domain')
    const { origin } = new URL(operators)
    const post = (path: string, body: object, cookie = '') => fetch(`${origin}/operator/api/v1/session${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, cookie },
      body: JSON.stringify(body),
    })
    t.equal((await fetch(operators)).status, 200)
    const step = await post('', { username, password })
    t.match(await step.json(), { secondFactor: ['totp'] })
    const [, code] = /class="code">(\d{6})</.exec(await (await fetch(codePage)).text()) ?? []
    const cookie = step.headers.getSetCookie().map(each => each.split(';')[0]).join('; ')
    t.equal((await post('/second-factor', { code }, cookie)).status, 204)

    const body = JSON.stringify({ username, password })
    const login = await fetch(`${url}/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    t.match(await login.json(), { secondFactor: ['totp'] }, 'the service asks for the code, too')
  })

  await t.test('gatehouse: commands reach the running demo without any setting (0)', async t => {
    writeFileSync(join(dir, 'accounts.csv'), 'username,email\nlin,lin@example.com\n')
    t.equal(statSync(join(dir, '.data/running.json')).mode & 0o777, 0o600, 'only its owner reads the secrets')
    const run = (...args: string[]) => gatehouse(args, {}, { cwd: dir }).ended
    const [imported, operator, key, webhook] = await Promise.all([
      run('user', 'import', 'accounts.csv'),
      run('operator', 'add', 'demo'),
      run('api-key', 'add', 'support-desk', '--scope', 'users:read'),
      run('webhook', 'add', 'https://app.example.com/hooks', '--events', 'user.created'),
    ])
    t.match(imported, { code: 0, stdout: /1 added/ })
    t.match(operator, { code: 0, stdout: /demo is an operator/ })
    t.match(webhook, { code: 0, stdout: /whsec_/ })
    t.match(await run('user', 'list'), { code: 0, stdout: /demo@example\.com[^]+lin@example\.com/, stderr: '' })

    const [, operators = ''] = await first.until(/Operators +(\S+)operator\//)
    const [authorization] = /gh_\S+/.exec(key.stdout) ?? []
    const found = await fetch(`${operators}operator/api/v1/users?q=lin`, {
      headers: { authorization: `Bearer ${authorization}` },
    })
    t.match(await found.json(), { users: [{ username: 'lin' }] })
  })

  await t.test('npm start: Ctrl-C stops all processes', async t => {
    first.child.kill('SIGINT')
    t.match(await first.ended, { code: 0 })
    t.strictSame(processesOf(dir), [])
    t.notOk(existsSync(join(dir, '.data/running.json')))
    t.match(await gatehouse(['user', 'list'], {}, { cwd: dir }).ended, NO_DEMO)
  })

  await t.test('npm start: after SIGKILL PostgreSQL stops, and the next start recovers', async t => {
    const killed = start(t, dir)
    await killed.until(OPEN)
    killed.child.kill('SIGKILL')
    const again = start(t, dir, RESOURCE)
    await again.until(OPEN)
    t.equal(readFileSync(join(dir, '.data/secrets.json'), 'utf8'), secrets)

    await t.test('gatehouse: commands get the settings of a resource from the running demo (0)', async t => {
      const added = gatehouse(['app', 'add', 'Nightly', '--machine', '--resource', 'https://api.example.com'], {}, {
        cwd: dir,
      })
      t.match(await added.ended, { code: 0, stdout: /client_id/ })
    })

    await t.test('npm start: a second one in the same folder is refused in one line', async t => {
      const { code, stderr } = await start(t, dir).ended
      t.equal(code, 1)
      t.match(stderr, /^Gatehouse is already running in this folder[^\n]+\n$/)
    })

    again.child.kill('SIGKILL')
    await untilNoneOf(dir)
    t.ok(existsSync(join(dir, '.data/running.json')), 'a killed demo leaves its file')
    t.match(await gatehouse(['user', 'list'], {}, { cwd: dir }).ended, NO_DEMO)
  })
})

t.test('npm start: a wrong PORT or PUBLIC_URL is named in one line (1)', async t => {
  const wrong: Array<Record<string, string>> = [{ PORT: 'abc' }, { PORT: '99999' }, { PUBLIC_URL: 'example' }]
  for (const { code, stderr } of await Promise.all(wrong.map(each => start(t, emptyFolder(t), each).ended))) {
    t.equal(code, 1)
    t.match(stderr, /^PORT or PUBLIC_URL is not valid: the demo cannot be at \S+\.\n$/)
  }
})
