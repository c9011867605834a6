import type { Test } from 'tap'
import { createUser } from '../../browser.ts'
import { startFrontEnd, type FrontEnd } from '../front-end.ts'
import { createVisitor } from '../web-client.ts'
import { openWebSocket } from '../web-socket.ts'
import type { Deployment } from './deployment.ts'

export async function testWebSockets (t: Test, { owner, frontEnd, behind }: Deployment) {
  const { username, password, id } = await createUser(owner)
  const enter = async (t: Test, frontEnd: FrontEnd) => {
    const visitor = createVisitor(frontEnd)
    t.teardown(visitor.leave)
    t.equal((await visitor.post('/login', { username, password })).status, 200)
    return [...visitor.cookies].map(pair => pair.join('=')).join('; ')
  }

  await t.test('websockets.conf included: signed in (101), signed out (401)', async t => {
    const frontEnd = await startFrontEnd(t, {
      ...behind,
      changes: { 'site/app.conf': { '# include gatehouse/websockets.conf;': 'include gatehouse/websockets.conf;' } },
    })
    const cookie = await enter(t, frontEnd)
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
    t.equal((await visitor.get('/app/live', { cookie })).status, 426, 'other requests reach the app, too')
  })

  await t.test('without it: the app gets no upgrade (426)', async t => {
    const cookie = await enter(t, frontEnd)
    t.equal((await openWebSocket(t, frontEnd, '/app/live', { cookie })).status, 426)
  })
}
