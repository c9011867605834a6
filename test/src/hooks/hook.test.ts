// The question to the application: connections, time, and answers that do not count.
import { once } from 'node:events'
import http, { type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { createHook } from '../../../src/hooks/hook.ts'
import { HOOK_SECRET, sendJson } from '../../support/application.ts'
import { eventually } from '../../support/patience.ts'
import { listen } from '../../support/receiver.ts'

const RULES = { production: false, privateAllowed: true }

async function setUp (t: Test, answer: (response: ServerResponse) => unknown, timeout = 20_000) {
  let [connections, requests] = [0, 0]
  const server = http.createServer((request, response) => {
    requests++
    request.resume().on('end', () => answer(response))
  })
  server.on('connection', () => { connections++ })
  const port = await listen(t, server)
  const hook = createHook({ url: `http://127.0.0.1:${port}/`, secret: HOOK_SECRET, timeout, ...RULES })
  t.teardown(hook.close)
  return { hook, server, port, ask: () => hook.ask('hook.test', {}), count: () => ({ connections, requests }) }
}

t.test('allow, and deny with a message', async t => {
  let body: unknown
  const { ask } = await setUp(t, response => sendJson(response, body))
  for (const [given, read] of [
    [{ allow: true }, { allow: true }],
    [{ allow: true, message: 'hello', more: 1 }, { allow: true }],
    [{ allow: true, data: { plan: 'free' } }, { allow: true, data: { plan: 'free' } }],
    [{ allow: true, data: {} }, { allow: true, data: {} }],
    [{ allow: false, data: [] }, { allow: false, message: undefined }],
    [{ allow: false, message: ' Not\ttoday,\r\n\u0000\u2028 sorry. ' }, { allow: false, message: 'Not today, sorry.' }],
    [{ allow: false, message: 'Dear \u202eadA\u2066, no.' }, { allow: false, message: 'Dear adA, no.' }],
    [{ allow: false, message: '<b>no</b>' }, { allow: false, message: '<b>no</b>' }],
    [{ allow: false, message: '🙂'.repeat(400) }, { allow: false, message: '🙂'.repeat(300) }],
    [{ allow: false }, { allow: false, message: undefined }],
    [{ allow: false, message: ['no'] }, { allow: false, message: undefined }],
    [{ allow: false, message: ' \n ' }, { allow: false, message: undefined }],
  ]) {
    body = given
    t.strictSame(await ask(), read)
  }
})

t.test('answers that do not count', async t => {
  let answer: (response: ServerResponse) => unknown = () => {}
  const { ask, count } = await setUp(t, response => answer(response))
  const SECRET_PART = 'ada@example.com'
  for (const [what, respond, reason] of [
    ['another status', r => r.writeHead(201).end('{"allow":true}'), 'The status is 201, not 200.'],
    ['no content', r => r.writeHead(204).end(), 'The status is 204, not 200.'],
    ['a failure', r => r.writeHead(500).end('{"allow":true}'), 'The status is 500, not 200.'],
    ['a redirect', r => r.writeHead(302, { location: '/' }).end('{"allow":true}'), 'The status is 302, not 200.'],
    ['garbage', r => r.end(SECRET_PART), 'The body is not JSON, or larger than 16 KiB.'],
    ['nothing', r => r.end(), 'The body is not JSON, or larger than 16 KiB.'],
    ['null', r => r.end('null'), 'The body has no "allow" that is true or false.'],
    ['a word', r => r.end('{"allow":"true"}'), 'The body has no "allow" that is true or false.'],
    ['a list', r => r.end('[{"allow":true}]'), 'The body has no "allow" that is true or false.'],
    ['a member twice', r => r.end('{"allow":false,"allow":true}'), 'The body is not JSON, or larger than 16 KiB.'],
    ['data that is a list', r => r.end('{"allow":true,"data":[]}'), 'Invalid data: it must be a JSON object.'],
    ['data that is null', r => r.end('{"allow":true,"data":null}'), 'Invalid data: it must be a JSON object.'],
    ['data that is too long', r => r.end(JSON.stringify({ allow: true, data: { x: SECRET_PART.repeat(300) } })),
      'Invalid data: it has 4508 bytes, and at most 4096 are stored.'],
    ['data for a prototype', r => r.end('{"allow":true,"data":{"__proto__":{}}}'),
      'Invalid data: a member must not be named __proto__.'],
    ['a huge body', r => r.end(JSON.stringify({ x: 'x'.repeat(100_000), allow: true })),
      'The body is not JSON, or larger than 16 KiB.'],
    ['a body that goes on after it', r => r.end(`{"allow":true}${' '.repeat(100_000)}`),
      'The body is not JSON, or larger than 16 KiB.'],
    ['a body that breaks off after it',
      r => r.writeHead(200, { 'content-length': 100 }).write('{"allow":true}', () => r.destroy()),
      'The body is not JSON, or larger than 16 KiB.'],
    ['half a body', r => r.writeHead(200, { 'content-length': 14 }).write('{"allow"', () => r.destroy()),
      'The body is not JSON, or larger than 16 KiB.'],
  ] as Array<[string, (response: ServerResponse) => unknown, string | RegExp]>) {
    answer = respond
    const before = count().requests
    const error: Error = await ask().then(() => t.fail(what), error => error)
    t.match(error.message, reason, what)
    t.notMatch(error.message, SECRET_PART)
    t.equal(count().requests, before + 1, `${what}: asked once`)
  }
})

t.test('no answer, and an answer that never ends: over after the timeout', async t => {
  const silent = await setUp(t, () => {}, 200)
  await t.rejects(silent.ask(), { message: /^No answer within 0\.[12]\d* seconds\.$/ })
  const dripping = await setUp(t, response => {
    response.writeHead(200).write('{"allow":true}')
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  }, 500)
  await t.rejects(dripping.ask())
})

t.test('connections stay open for the next question', async t => {
  const { ask, count } = await setUp(t, response => sendJson(response, { allow: true }))
  for (let i = 0; i < 20; i++) await ask()
  t.strictSame(count(), { connections: 1, requests: 20 })
})

t.test('a kept connection that the application closes: the question is repeated', async t => {
  const { ask, server, port } = await setUp(t, response => sendJson(response, { allow: true }))
  await ask()
  // It reads the next request and closes the connection instead of answering.
  server.removeAllListeners('request')
  server.once('request', request => request.socket.destroy())
  server.on('request', (request, response) => request.resume().on('end', () => sendJson(response, { allow: true })))
  t.strictSame(await ask(), { allow: true })

  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  await t.rejects(ask(), { code: 'ECONNREFUSED' })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.strictSame(await ask(), { allow: true }, 'back again')
})

t.test('a slow application: at most 50 connections, and no more than 500 wait', async t => {
  const held: ServerResponse[] = []
  let isSlow = true
  const allow = (response: ServerResponse) => sendJson(response, { allow: true })
  const { ask, count } = await setUp(t, response => isSlow ? held.push(response) : allow(response))
  const asked = Array.from({ length: 600 }, () => ask().catch((error: Error) => error.constructor.name))
  await eventually(() => held.length, length => length === 50)
  t.strictSame(await Promise.all(asked.slice(550)), Array(50).fill('Overloaded'))
  t.equal(count().connections, 50)
  isSlow = false
  held.forEach(allow)
  t.strictSame(await Promise.all(asked.slice(0, 550)), Array(550).fill({ allow: true }))
  t.equal(count().connections, 50)
})

t.test('a name that leads to a private address gets nothing', async t => {
  const { port, count } = await setUp(t, response => sendJson(response, { allow: true }))
  const hook = createHook({
    url: `http://localhost:${port}/`, secret: HOOK_SECRET, production: false, privateAllowed: false,
  })
  await t.rejects(hook.ask('hook.test', {}), { message: /private or special address/ })
  t.equal(count().connections, 0)
  t.throws(() => createHook({
    url: `http://127.0.0.1:${port}/`, secret: HOOK_SECRET, production: false, privateAllowed: false,
  }), { message: /private or special address/ })
})
