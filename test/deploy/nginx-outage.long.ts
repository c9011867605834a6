import t from 'tap'
import { Unavailable } from '../../src/errors.ts'
import { createUser } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { startApp } from '../support/deploy/apps.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, startInstance, startInstances } from '../support/deploy/instances.ts'
import { createVisitor } from '../support/deploy/web-client.ts'
import { HANG_TIMEOUT } from '../support/patience.ts'

const skip = withoutNginx || withoutRedis
const OF_NGINX = 'max-age=31536000; includeSubDomains'
const OF_THE_SERVICE = `${OF_NGINX}; preload`
const BODY = { error: 'Service Unavailable', message: new Unavailable().message }
const PAGE = { accept: 'text/html,application/xhtml+xml' }

t.test('instances fail', { skip, timeout: HANG_TIMEOUT }, async t => {
  const { owner, settings } = await productionSettings(t)
  const { instances, ports } = await startInstances(t, settings)
  const app = await startApp(t, (_, response) => response.end('the app'))
  const frontEnd = await startFrontEnd(t, { instances: ports, app })
  const { username, password } = await createUser(owner)
  const guest = createVisitor(frontEnd)
  t.teardown(guest.leave)
  t.equal((await guest.post('/login', { username, password })).status, 200)

  t.test('one instance hangs: every access check succeeds', async t => {
    instances[0]?.signal('SIGSTOP')
    t.teardown(() => instances[0]?.signal('SIGCONT'))
    const answers = await Promise.all(Array.from({ length: 20 }, () => guest.get('/app/')))
    t.strictSame(answers.map(({ status }) => status), Array(20).fill(200))
  })

  t.test('one instance is killed: every request succeeds', async t => {
    await instances[0]?.stop('SIGKILL')
    for (const path of ['/app/', '/health/live', '/api/auth/me']) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => guest.get(path)))
      t.strictSame(answers.map(({ status }) => status), Array(20).fill(200), path)
    }
  })

  t.test('all instances are killed: JSON for programs, a page for people (503)', async t => {
    await instances[1]?.stop('SIGKILL')
    const SECRET_PATH = '/api/auth/provider-a/callback?code=c0de-of-a-provider'
    for (const [method, path] of [
      ['GET', '/'], ['GET', '/login'], ['POST', '/login'], ['GET', '/api/auth/me'], ['GET', '/health/live'],
      ['GET', '/nowhere'], ['DELETE', '/api/auth/me'], ['GET', '/app/'], ['POST', '/app/form'], ['GET', SECRET_PATH],
    ] as const) {
      const body = method === 'POST' ? {} : undefined
      const program = await guest.send(method, path, { body, headers: { accept: 'application/json' } })
      t.match(program, { status: 503, headers: { 'retry-after': '2', 'content-type': 'application/json' } }, path)
      t.strictSame(JSON.parse(program.body), BODY)
      const page = await guest.send(method, path, { body, headers: PAGE })
      t.match(page, { status: 503, headers: { 'retry-after': '2', 'content-type': 'text/html' } }, path)
      t.match(page.body, '<h1>Temporarily unavailable</h1>')
      for (const answer of [program, page]) t.strictSame(answer.all('strict-transport-security'), [OF_NGINX])
    }
    t.equal((await guest.get('/@unavailable')).headers['content-type'], 'application/json', 'not a path of its own')
    t.equal(frontEnd.log('error'), '', 'no query in the error log')
  })
})

t.test('more logins than can be hashed: after 8 s the service itself responds (503)', { skip }, async t => {
  const { settings } = await productionSettings(t)
  // One password takes a second or more, so that the last of 16 have to wait too long. One at a time: four lanes on a
  // busy machine can take longer than nginx waits for a response.
  const { port } = await startInstance(t, {
    ...settings, HASHING_THREADS: '1', HASHING_LANES: '1', BCRYPT_COST: '15',
  })
  const frontEnd = await startFrontEnd(t, { instances: [port, port] })
  const answers = await Promise.all(Array.from({ length: 16 }, async (_, index) => {
    const visitor = createVisitor(frontEnd, { address: `127.0.0.${100 + index}`, repeats: false })
    return visitor.post('/login', { username: `user-${index}`, password: 'wr0ng-Guess-in-the-dark!' })
      .finally(visitor.leave)
  }))
  const refused = answers.filter(({ status }) => status === 503)
  t.ok(refused.length > 0)
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([401, 503]))
  for (const answer of refused) {
    t.strictSame(JSON.parse(answer.body), BODY)
    t.strictSame([answer.headers['retry-after'], answer.headers['strict-transport-security']], ['5', OF_THE_SERVICE])
  }
})
