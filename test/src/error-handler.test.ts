import { Type } from '@sinclair/typebox'
import t from 'tap'
import { Unavailable } from '../../src/errors.ts'
import { build } from '../support/build.ts'

const body = Type.Object(
  { name: Type.String({ maxLength: 5 }), nested: Type.Optional(Type.Object({}, { additionalProperties: false })) },
  { additionalProperties: false }
)

const setUp = (t: Parameters<typeof build>[0]) =>
  build(t, {
    before: app => {
      app.register(async app => {
        app.post('/takes', { schema: { body } }, async () => ({}))
        app.get('/breaks', async () => {
          throw new Error('password=hunter2 in table users')
        })
        app.get('/rejects', async () => {
          throw Object.assign(new Error('internal words'), { statusCode: 418, code: 'X' })
        })
        app.get('/away', async () => {
          throw new Unavailable(new Error('connect ECONNREFUSED 10.1.2.3'))
        })
        app.get('/one/:id', async () => ({}))
      })
    },
  })

const json = (payload: string) => ({
  method: 'POST' as const,
  url: '/takes',
  headers: { 'content-type': 'application/json' },
  payload,
})

const REFUSALS: Array<[what: string, status: number, message: string | RegExp, request: object]> = [
  ['malformed JSON', 400, 'The body is not valid JSON.', json('{"name":')],
  ['empty body', 400, 'The body is empty, but Content-Type is application/json.', json('')],
  ['no body', 400, 'body must be object', { method: 'POST', url: '/takes' }],
  ['unknown field', 400, 'body has an unknown field: admin', json('{"name":"a","admin":true}')],
  ['unknown nested field', 400, 'body/nested has an unknown field: x', json('{"name":"a","nested":{"x":1}}')],
  ['missing field', 400, 'body needs the field: name', json('{}')],
  ['a number for a string: not coerced', 400, 'body/name must be string', json('{"name":1}')],
  ['an array for a string: not coerced', 400, 'body/name must be string', json('{"name":["a"]}')],
  ['null', 400, 'body/name must be string', json('{"name":null}')],
  ['too long', 400, 'body/name must NOT have more than 5 characters', json('{"name":"abcdef"}')],
  ['__proto__', 400, 'The body is not valid JSON.', json('{"name":"a","__proto__":{}}')],
  ['too large', 413, 'The body is larger than this route takes.', json(`{"name":"${'x'.repeat(20_000)}"}`)],
  [
    'form',
    415,
    'Send the body as application/json.',
    {
      method: 'POST',
      url: '/takes',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'name=a',
    },
  ],
  [
    'text/plain',
    415,
    'Send the body as application/json.',
    { method: 'POST', url: '/takes', headers: { 'content-type': 'text/plain' }, payload: '{"name":"a"}' },
  ],
  ['unknown path', 404, 'There is nothing at this address.', { url: '/nowhere?token=x' }],
  ['other method', 405, 'Allowed methods: POST.', { method: 'DELETE', url: '/takes?x=1' }],
  ['other method, parameter in the path', 405, 'Allowed methods: GET, HEAD.', { method: 'POST', url: '/one/7' }],
  ['not a URL', 400, 'The address is not a valid URL.', { url: '/%ZZ' }],
  ['internal error', 500, 'Something went wrong on our side.', { url: '/breaks' }],
  ['message of a library', 418, 'The request cannot be understood.', { url: '/rejects' }],
  ['outage', 503, /try again/, { url: '/away' }],
]

t.test('every error: its status and message, nothing else (4xx, 500)', async t => {
  const { app, log } = await setUp(t)
  for (const [what, status, message, request] of REFUSALS) {
    const answer = await app.inject(request)
    t.equal(answer.statusCode, status, what)
    t.match(answer.json().message, message, what)
    t.strictSame(Object.keys(answer.json()), ['error', 'message'], what)
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8', what)
  }
  t.equal((await app.inject({ method: 'DELETE', url: '/takes' })).headers.allow, 'POST')
  t.equal((await app.inject('/away')).headers['retry-after'], '5')
  const logged = log.errors.map(line => line.err.message)
  t.strictSame(
    logged.slice(0, 2),
    ['password=hunter2 in table users', 'connect ECONNREFUSED 10.1.2.3'],
    'the cause is logged, never sent'
  )
})
