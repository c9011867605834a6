import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { buildShared } from '../support/build.ts'
import { request, sendRaw } from '../support/attacks/raw-connection.ts'

// Raw bytes sent directly to the service, without a front end.

/** A request that leaves a row in the database if it is executed. */
const SMUGGLED = request('POST /reset-password', { body: { email: 'smuggled@example.com' } })
const POST = 'POST /verify-email/resend HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
const GET = 'GET /health/live HTTP/1.1\r\nHost: x\r\n'
const CHUNKS = '1a\r\n{"email":"a@example.com" }\r\n0\r\n\r\n'
const chunked = (size: string, data = '{"email":"a@example.com" }\r\n') =>
  `${POST}Transfer-Encoding: chunked\r\n\r\n${size}${data}0\r\n\r\n`
const coded = (...lines: string[]) => `${POST}${lines.map(line => `${line}\r\n`).join('')}\r\n${CHUNKS}`
const sized = (...lengths: string[]) =>
  `${POST}${lengths.map(length => `Content-Length: ${length}\r\n`).join('')}\r\n{"email":"a@example.com" }`

/** Each is ambiguous, or not HTTP/1.1. The bytes after it must never be executed as a request. */
const REFUSED: Record<string, string> = {
  'Content-Length, then Transfer-Encoding': coded('Content-Length: 6', 'Transfer-Encoding: chunked'),
  'Transfer-Encoding, then Content-Length': coded('Transfer-Encoding: chunked', 'Content-Length: 6'),
  'Content-Length in a trailer': `${POST}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 900\r\n\r\n`,
  'two codings, identity first': coded('Transfer-Encoding: identity', 'Transfer-Encoding: chunked'),
  'two codings, identity last': coded('Transfer-Encoding: chunked, identity'),
  'chunked twice': coded('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
  'gzip, chunked': coded('Transfer-Encoding: gzip, chunked'),
  'an unknown coding': coded('Transfer-Encoding: xchunked'),
  'a coding with a vertical tab': coded('Transfer-Encoding: \x0bchunked'),
  'a coding in quotes': coded('Transfer-Encoding: "chunked"'),
  'a coding with NUL': coded('Transfer-Encoding: chunked\x00'),
  'a coding on a folded line': coded('Transfer-Encoding:', ' chunked'),
  'a coding with a space before the colon': coded('Transfer-Encoding : chunked'),
  'a coding in HTTP/1.0': coded('Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0'),
  'the same length twice': sized('26', '26'),
  'two lengths': sized('26', '0'),
  'a list of lengths': sized('26, 26'),
  'a length with a plus': sized('+26'),
  'a negative length': sized('-1'),
  'a hexadecimal length': sized('0x1a'),
  'a length with an exponent': sized('26e0'),
  'a length with a space in it': sized('2 6'),
  'an empty length': sized(''),
  'a length beyond all limits': sized('99999999999999999999999'),
  'a chunk size that is not a number': chunked('zz\r\n'),
  'a negative chunk size': chunked('-1a\r\n'),
  'a chunk size with 0x': chunked('0x1a\r\n'),
  'a chunk size beyond all limits': chunked('fffffffffffffffff\r\n'),
  'a chunk size with a space before it': chunked(' 1a\r\n'),
  'a chunk size that ends in LF': chunked('1a\n'),
  'a chunk extension that ends in LF': chunked('1a;x\n'),
  'a chunk that ends in LF': chunked('1a\r\n', '{"email":"a@example.com" }\n'),
  'a chunk that is longer than its size': chunked('1a\r\n', '{"email":"a@example.com" }xx'),
  'lines that end in LF': `${GET}\r\n`.replaceAll('\r\n', '\n'),
  'one line that ends in LF': `${GET}X-A: b\nX-B: c\r\n\r\n`,
  'lines that end in CR': `${GET}\r\n`.replaceAll('\r\n', '\r'),
  'CR in a value': `${GET}X-A: a\rb\r\n\r\n`,
  'a folded line': `${GET}X-A: a\r\n b\r\n\r\n`,
  'a fold before the first header': 'GET /health/live HTTP/1.1\r\n Host: x\r\n\r\n',
  'NUL in a value': `${GET}X-A: a\x00b\r\n\r\n`,
  'NUL in a name': `${GET}X\x00A: b\r\n\r\n`,
  'NUL in the target': `${GET}\r\n`.replace('/live', '/\x00live'),
  'a space in the target': `${GET}\r\n`.replace('/live', '/li ve'),
  'a space before the colon': `${GET}X-A : b\r\n\r\n`,
  'a header without colon': `${GET}X-A\r\n\r\n`,
  'a header without name': `${GET}: b\r\n\r\n`,
  'no Host': 'GET /health/live HTTP/1.1\r\n\r\n',
  'two Hosts': `${GET}Host: y\r\n\r\n`,
  'two Hosts, written differently': `${GET}hOST: x\r\n\r\n`,
  'two Hosts on a route that redirects':
    'GET /api/auth/verify?signed-out=redirect HTTP/1.1\r\nHost: x\r\nHost: y\r\nAccept: text/html\r\n\r\n',
  'HTTP/0.9': 'GET /health/live\r\n\r\n',
  'HTTP/1.2': `${GET}\r\n`.replace('1.1', '1.2'),
  'HTTP/3.0': `${GET}\r\n`.replace('1.1', '3.0'),
  'a method in lower case': `${GET}\r\n`.replace('GET', 'get'),
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00',
  'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
}

const COOKIES = Array.from({ length: 1_000 }, (_, index) => `Cookie: tossed${index}=xxxx\r\n`).join('')
const TOO_LARGE: Record<string, string> = {
  'one large header': `${GET}X-A: ${'x'.repeat(17_000)}\r\n\r\n`,
  'a large target': `GET /health/live?${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'very many headers': `${GET}${'A: b\r\n'.repeat(3_000)}\r\n`,
  'very many cookies': `${GET}${COOKIES}\r\n`,
}

async function listen (t: Test) {
  const { app, owner, log } = await buildShared(t, { settings: { ...NO_LIMITS, LOG_LEVEL: 'warn' } })
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const executed = async () =>
    (await owner.query("SELECT FROM auth_events WHERE what = 'password_reset_requested'")).rowCount
  return { app, owner, log, executed, port, send: (bytes: string, enough?: number) => sendRaw(port, bytes, enough) }
}

t.test('ambiguous requests (400): the connection closes, nothing smuggled is executed', async t => {
  const { app, executed, send, log } = await listen(t)
  const refusals = await Promise.all(
    Object.entries(REFUSED).map(async ([what, bytes]) => ({ what, ...(await send(`${bytes}${SMUGGLED}`)) }))
  )
  for (const { what, answers, closed } of refusals) {
    t.equal(answers[0]?.status, 400, what)
    t.ok(
      answers.every(({ status }) => status === 400),
      `${what}: one response only`
    )
    t.ok(closed, `${what}: closed`)
    t.match(answers[0]?.headers, app.securityHeaders, `${what}: with the security headers`)
  }
  t.match(
    (await send(`${request('GET /health/live')}${SMUGGLED}`, 2)).answers,
    [{ status: 200 }, { status: 202 }],
    'executed after an unambiguous request'
  )
  t.equal(await executed(), 1)
  t.match((await send('GET /health/live HTTP/1.0\r\n\r\n')).answers, [{ status: 200 }], 'HTTP/1.0 needs no Host')
  t.strictSame(log.errors, [], 'no error in the log')
})

t.test('headers too large (431): the connection closes', async t => {
  const { executed, send } = await listen(t)
  for (const [what, bytes] of Object.entries(TOO_LARGE)) {
    const { answers, closed } = await send(`${bytes}${SMUGGLED}`)
    t.strictSame(
      answers.map(({ status }) => status),
      [431],
      what
    )
    t.ok(closed, what)
  }
  t.match((await send(`${request('GET /health/live')}${SMUGGLED}`, 2)).answers, [{ status: 200 }, { status: 202 }])
  t.equal(await executed(), 1)
})

t.test('a request inside the body of another is not executed', async t => {
  const { executed, send } = await listen(t)
  const length = SMUGGLED.length
  const hidden: Array<[what: string, status: number, bytes: string]> = [
    ['GET with a body', 200, `${GET}Content-Length: ${length}\r\n\r\n${SMUGGLED}`],
    [
      'GET with chunks',
      200,
      `${GET}Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`,
    ],
    ['not JSON', 400, `${POST}Content-Length: ${length}\r\n\r\n${SMUGGLED}`],
    ['too large to be read', 413, `${POST}Content-Length: 30000\r\n\r\n${SMUGGLED}`],
    ['after 100 Continue', 400, `${POST}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n${SMUGGLED}`],
  ]
  for (const [what, status, bytes] of hidden) {
    const { answers } = await send(bytes, status === 200 ? 1 : undefined)
    t.equal(answers.at(-1)?.status, status, what)
  }
  t.equal(await executed(), 0)
})

t.test('CONNECT, Upgrade, TRACE and absolute targets have no special effect', async t => {
  const { executed, send } = await listen(t)
  t.match(
    await send(`CONNECT evil.example:80 HTTP/1.1\r\nHost: x\r\n\r\n${SMUGGLED}`),
    { answers: [], closed: true },
    'no tunnel'
  )
  for (const protocol of ['websocket', 'h2c']) {
    const {
      answers: [answer],
    } = await send(`${GET}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`, 1)
    t.match(answer, { status: 200, body: '{"status":"live"}' }, `${protocol}: the upgrade is ignored`)
  }
  const {
    answers: [trace],
  } = await send(request('TRACE /health/live', { headers: { 'X-Secret': 'echo-me' } }), 1)
  t.equal(trace?.status, 405)
  t.notMatch(JSON.stringify(trace), 'echo-me')
  const {
    answers: [absolute],
  } = await send(request('GET http://evil.example/api/auth/provider-a'), 1)
  t.match(
    absolute,
    { status: 302, headers: { location: '/login?error=provider_a_auth_failed' } },
    'only the path of an absolute target counts'
  )
  t.equal(await executed(), 0)
})

t.test('pipelining: each request gets its own response, in order', async t => {
  const { app, owner, send } = await listen(t)
  const people = await Promise.all(['first', 'second', 'third'].map(username => createUser(owner, { username })))
  const cookies = await Promise.all(
    people.map(async ({ username }) => {
      const browser = createBrowser(app)
      await browser.signIn(username)
      return `access_token=${browser.cookies.get('access_token')}`
    })
  )
  const round = [
    // Slower than those behind it. Not a password rating: on a busy machine the twentieth would be refused (503).
    request('POST /verify-email/resend', { body: { email: people[0]!.email } }),
    ...cookies.map(Cookie => request('GET /api/auth/me', { headers: { Cookie } })),
    request('GET /api/auth/me'),
    request('GET /nowhere'),
  ]
  const expected = [
    { status: 202 },
    ...people.map(({ username }) => ({ status: 200, body: `"username":"${username}"` })),
    { status: 401 },
    { status: 404 },
  ]
  const rounds = 20
  const { answers } = await send(round.join('').repeat(rounds), round.length * rounds)
  t.equal(answers.length, round.length * rounds)
  t.match(answers, Array.from({ length: rounds }, () => expected).flat())
})
