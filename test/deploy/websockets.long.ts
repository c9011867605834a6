import t from 'tap'
import { createUser } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { startWebSocketApp } from '../support/deploy/apps.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, startInstances } from '../support/deploy/instances.ts'
import { createVisitor } from '../support/deploy/web-client.ts'
import { openWebSocket } from '../support/deploy/web-socket.ts'

const skip = withoutNginx || withoutRedis

t.test('WebSockets behind auth_request', { skip }, async t => {
  const { owner, settings } = await productionSettings(t)
  const { ports } = await startInstances(t, settings)
  const app = await startWebSocketApp(t)
  const { username, password, id } = await createUser(owner)
  const enter = async (frontEnd: Awaited<ReturnType<typeof startFrontEnd>>) => {
    const visitor = createVisitor(frontEnd)
    t.teardown(visitor.leave)
    t.equal((await visitor.post('/login', { username, password })).status, 200)
    return [...visitor.cookies].map(pair => pair.join('=')).join('; ')
  }

  t.test('websockets.conf included: signed in (101), signed out (401)', async t => {
    const frontEnd = await startFrontEnd(t, {
      instances: ports,
      app,
      changes: { 'site/app.conf': { '# include gatehouse/websockets.conf;': 'include gatehouse/websockets.conf;' } },
    })
    const cookie = await enter(frontEnd)
    const socket = await openWebSocket(t, frontEnd, '/app/live', { cookie, 'x-auth-user-id': '1' })
    t.equal(socket.status, 101)
    const headers = JSON.parse(await socket.next())
    t.match(headers, { 'x-auth-user-id': id, 'x-auth-username': username, upgrade: 'websocket', connection: 'upgrade' })
    t.notMatch(headers.cookie, 'refresh_token')
    for (const text of ['one', 'two']) {
      socket.send(text)
      t.equal(await socket.next(), text)
    }
    t.equal((await openWebSocket(t, frontEnd, '/app/live')).status, 401)
    const other = await openWebSocket(t, frontEnd, '/app/live', { cookie, upgrade: 'h2c' })
    t.equal(other.status, 426, 'another protocol is not forwarded')
    const visitor = createVisitor(frontEnd)
    t.teardown(visitor.leave)
    t.equal((await visitor.get('/app/', { cookie })).status, 426, 'other requests reach the app, too')
  })

  t.test('without it: the app gets no upgrade (426)', async t => {
    const frontEnd = await startFrontEnd(t, { instances: ports, app })
    t.equal((await openWebSocket(t, frontEnd, '/app/live', { cookie: await enter(frontEnd) })).status, 426)
  })
})
