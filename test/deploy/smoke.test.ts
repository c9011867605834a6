// What must hold of every change: the built program migrates an empty database, signs users in behind nginx over TLS,
// and is replaced under load. The long versions are in nginx.long.ts and rolling-restart.long.ts.
import t from 'tap'
import { createUser, NO_LIMITS } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { startApp } from '../support/deploy/apps.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, replaceInstance, startInstances } from '../support/deploy/instances.ts'
import { createLoad } from '../support/deploy/load.ts'
import { createVisitor } from '../support/deploy/web-client.ts'
import { eventually, inTime } from '../support/patience.ts'
import { gatehouse, PROGRAM, SOURCE } from '../support/process.ts'

const PEOPLE = 3
const SCRIPT = { accept: 'application/json', 'sec-fetch-mode': 'cors' }

t.test('the built program, two instances of it and nginx', { skip: withoutNginx || withoutRedis }, async t => {
  t.not(PROGRAM, SOURCE, 'what this run has built')
  const { owner, settings } = await productionSettings(t, { empty: true })
  const env = { ...settings, ...NO_LIMITS, EMAIL_VERIFICATION: 'off' }
  const { ended } = gatehouse(['migrate'], env)
  t.match(await inTime(ended, 'gatehouse migrate'), { code: 0, stdout: /^Applied: 21 schema/ })
  const { instances, ports } = await startInstances(t, env)
  const app = await startApp(t, ({ headers }, answer) => answer.end(JSON.stringify(headers)))
  const frontEnd = await startFrontEnd(t, { instances: ports, app })

  await t.test('sign-in over TLS, access check, sign-out', async t => {
    const { id, username, password } = await createUser(owner)
    const [person, copy] = [createVisitor(frontEnd), createVisitor(frontEnd, { address: '127.0.0.2' })]
    for (const visitor of [person, copy]) t.teardown(visitor.leave)
    t.equal((await person.get('/api/auth/verify')).status, 401)
    t.equal((await person.get('/app/', SCRIPT)).status, 401)

    const answer = await person.post('/login', { username, password })
    t.equal(answer.status, 200)
    const cookies = answer.all('set-cookie')
    t.strictSame(cookies.map(cookie => cookie.split('=')[0]).sort(), ['access_token', 'device', 'refresh_token'])
    for (const cookie of cookies) t.match(cookie, /; HttpOnly; Secure; SameSite=/)
    t.equal((await person.get('/api/auth/verify')).status, 204)
    t.match(JSON.parse((await person.get('/app/', SCRIPT)).body), { 'x-auth-user-id': id, 'x-auth-username': username })

    for (const [name, value] of person.cookies) copy.cookies.set(name, value)
    const cookie = [...copy.cookies].map(pair => pair.join('=')).join('; ')
    t.equal((await person.post('/logout')).status, 204)
    for (const port of ports) {
      const check = () => fetch(`http://127.0.0.1:${port}/api/auth/verify`, { headers: { cookie } })
      await eventually(check, ({ status }) => status === 401)
    }
    t.equal((await copy.get('/app/', SCRIPT)).status, 401)
    t.equal((await copy.post('/api/auth/refresh')).status, 401)
  })

  await t.test('a rolling restart under load: no request fails', async t => {
    const users = await Promise.all(Array.from({ length: PEOPLE }, () => createUser(owner)))
    const load = createLoad(t, frontEnd, users)
    const more = async () => {
      const before = load.count()
      await eventually(load.count, count => count > before + 10 * PEOPLE)
    }
    await more()
    for (const instance of instances) {
      await replaceInstance(t, frontEnd, instance)
      await more()
    }
    await load.stop()
    t.comment(JSON.stringify(load.tally()))
    t.strictSame(Object.keys(load.tally()).sort(), ['access', 'health', 'login', 'refresh', 'registration'])
    t.strictSame(load.failures, [])
    t.strictSame(await load.whoIsSignedOut(), [])
  })
})
