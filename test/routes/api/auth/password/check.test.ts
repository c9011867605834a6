import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { NO_LIMITS } from '../../../../support/browser.ts'
import { build, buildShared, secrets } from '../../../../support/build.ts'

const GOOD = 'correct-Horse-42-staple'
/** zxcvbn tries every combination of l33t substitutions: five seconds. */
const HOSTILE = 'Aa4@8({[<369!1|7+$5%20'.repeat(3).slice(0, 64)
secrets.add(GOOD).add(HOSTILE)

const check = (app: FastifyInstance, payload: object) =>
  app.inject({ method: 'POST', url: '/api/auth/password/check', payload })

/** The number of responses of GET /health/live during the work. Rating on the event loop would allow none. */
async function countProbes (app: FastifyInstance, work: Promise<unknown>): Promise<number> {
  const end = new AbortController()
  work.finally(() => end.abort())
  let answered = 0
  while (!end.signal.aborted) {
    await sleep(5)
    await app.inject('/health/live')
    if (!end.signal.aborted) answered++
  }
  return answered
}

t.test('POST /api/auth/password/check: a good password (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  const answer = await check(app, { password: GOOD })
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), { score: 4, feedback: [], isStrong: true, valid: true, errors: [] })
})

t.test('POST /api/auth/password/check: breaks every rule (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  const answer = await check(app, { password: '' })
  const feedback = ['Use a few words, avoid common phrases', 'No need for symbols, digits, or uppercase letters']
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), {
    score: 0,
    feedback,
    isStrong: false,
    valid: false,
    errors: [
      'Password must be at least 8 characters',
      'Password must contain lowercase letters',
      'Password must contain uppercase letters',
      'Password must contain numbers',
      'Password must contain special characters',
      `Password is too weak. ${feedback.join(' ')}`,
    ],
  })
})

t.test('POST /api/auth/password/check: suggestions, then the warning (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  const { feedback, errors } = (await check(app, { password: 'P@ssw0rd!' })).json()
  t.equal(feedback.at(-1), 'This is similar to a commonly used password')
  t.ok(feedback.length > 1)
  t.strictSame(errors, [`Password is too weak. ${feedback.join(' ')}`])
})

t.test('POST /api/auth/password/check: common passwords (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  const COMMON = [
    'P@ssw0rd!',
    'P@$$w0rd1',
    'Password1!',
    'Password123!',
    'Welcome1!',
    'Welcome@123',
    'Qwerty123!',
    'Summer2024!',
    'Admin123!',
    'Letmein1!',
    'Iloveyou1!',
    'Abc123!@#',
    'Abcd@1234',
    '1qaz!QAZ',
    '!QAZ2wsx',
    'Monkey123!',
    'Football1!',
    'Trustno1!',
    'Changeme1!',
    'Aa123456@',
    'Gatehouse1!',
    'Aaaaaaa1!!!!',
  ]
  for (const password of COMMON) {
    t.match(
      (await check(app, { password })).json(),
      { isStrong: false, valid: false, errors: [/^Password is too weak\./] },
      password
    )
  }
})

t.test('POST /api/auth/password/check: made of data of the user (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  const OWN: Array<[password: string, known: object]> = [
    ['Quillfeather7!', { username: 'quillfeather' }],
    ['Qu1llfeather7!', { username: 'quillfeather' }],
    ['QuillZmorg2024!', { username: 'quill_zmorg' }],
    ['QuillZmorg2024!', { email: 'quill.zmorg@example.org' }],
    ['Zmorgfeather7!', { email: 'info@zmorgfeather.org' }],
    ['Quill.Zmorg@example.org7', { email: 'quill.zmorg@example.org' }],
  ]
  for (const [password, known] of OWN) {
    t.match(
      (await check(app, { password })).json(),
      { valid: true },
      `${password} for another user: no data is kept`
    )
    t.match(
      (await check(app, { password, ...known })).json(),
      { isStrong: false, valid: false, errors: [/^Password is too weak\./] },
      password
    )
  }
})

t.test('POST /api/auth/password/check: not hashable by bcrypt (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  const UNHASHABLE: Array<[password: string, error: RegExp]> = [
    ['aB3-'.repeat(18) + 'x', /72 bytes/],
    ['aB3-'.repeat(250), /72 bytes/],
    [`${GOOD}\ud800`, /valid Unicode/],
    [`${GOOD}\0`, /NUL/],
  ]
  for (const [password, error] of UNHASHABLE) {
    const answer = await check(app, { password })
    t.equal(answer.statusCode, 200)
    t.match(answer.json(), { score: 0, feedback: [], isStrong: false, valid: false })
    t.match(answer.json().errors, [error])
    t.equal(answer.json().errors.length, 1)
  }
  t.notMatch(
    (await check(app, { password: 'aB3-'.repeat(18) })).json().errors.join(),
    /72 bytes/,
    '72 bytes are fine'
  )
})

const MALFORMED: Array<[what: string, payload: object, message: string]> = [
  ['no password', {}, 'body needs the field: password'],
  ['a number', { password: 12345678 }, 'body/password must be string'],
  ['1001 characters', { password: 'x'.repeat(1001) }, 'body/password must NOT have more than 1000 characters'],
  [
    'username too long',
    { password: GOOD, username: 'x'.repeat(255) },
    'body/username must NOT have more than 254 characters',
  ],
  ['email too long', { password: GOOD, email: 'x'.repeat(255) }, 'body/email must NOT have more than 254 characters'],
  ['unknown field', { password: GOOD, name: 'Ann' }, 'body has an unknown field: name'],
]
t.test('POST /api/auth/password/check: malformed (400)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  for (const [what, payload, message] of MALFORMED) {
    const answer = await check(app, payload)
    t.equal(answer.statusCode, 400, what)
    t.strictSame(answer.json(), { error: 'Bad Request', message }, what)
  }
})

t.test('POST /api/auth/password/check: a hostile password does not block others (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  await check(app, { password: GOOD })
  const start = performance.now()
  const hostile = check(app, { password: HOSTILE })
  const probes = await countProbes(app, hostile)
  const took = performance.now() - start
  t.match((await hostile).json(), { isStrong: true, valid: true, errors: [] }, 'rated by a part of it')
  t.ok(took < 60_000, `rated after ${took.toFixed()} ms`)
  t.ok(probes > 3, `GET /health/live was answered ${probes} times`)
  const long = 'a long-winded, Ordinary sentence of 57 quiet little words'
  t.match((await check(app, { password: long })).json(), { score: 4, valid: true }, 'the next one is rated normally')
})

t.test('POST /api/auth/password/check: a flood of hostile passwords (503), others served (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  await check(app, { password: GOOD })
  let givenUp = 0
  const start = performance.now()
  const flood = Promise.all(
    Array.from({ length: 80 }, async () => {
      const answer = await check(app, { password: HOSTILE })
      if (answer.statusCode === 200) givenUp++
      return answer
    })
  )
  const probing = countProbes(app, flood)
  t.match((await check(app, { password: GOOD })).json(), { valid: true })
  t.ok(givenUp < 3, `an ordinary one is not queued behind them: ${givenUp} of 65 came before it`)

  const answers = await flood
  t.ok(performance.now() - start < 60_000, 'no request waits for all the others, which would take 80 s')
  const refused = answers.filter(answer => answer.statusCode === 503)
  t.ok(refused.length >= 80 - 65, `${refused.length} of 80 refused`)
  for (const answer of refused) t.equal(answer.headers['retry-after'], '5')
  for (const answer of answers) if (answer.statusCode !== 503) t.match(answer.json(), { valid: true, errors: [] })
  const probes = await probing
  t.ok(probes > 3, `GET /health/live was answered ${probes} times`)
})

t.test('POST /register: eighty hostile passwords from five addresses delay no registration (202)', async t => {
  const { app } = await build(t, { settings: NO_LIMITS })
  const flood = Array.from({ length: 80 }, async (_, index) => app.inject({
    method: 'POST',
    url: '/api/auth/password/check',
    payload: { password: HOSTILE },
    remoteAddress: `192.0.2.${index % 5}`,
  }))
  const random = `aA1!${randomBytes(45).toString('base64')}`
  for (const [index, password] of [GOOD, random].entries()) {
    const payload = { username: `ann${index}`, email: `ann${index}@example.org`, password }
    const answer = await app.inject({ method: 'POST', url: '/register', payload, remoteAddress: '198.51.100.1' })
    t.equal(answer.statusCode, 202, password === random ? 'sixty-four random characters' : 'an ordinary password')
  }
  for (const { statusCode } of await Promise.all(flood)) t.ok([200, 503].includes(statusCode))
})

t.test('POST /api/auth/password/check: a weak password that cannot be rated in time (503)', async t => {
  const { app } = await build(t)
  const password = `Password1!${'4@8({[<369!1|7+$5%20'.repeat(3).slice(0, 40)}Password1!`
  const answer = await check(app, { password })
  t.ok([200, 503].includes(answer.statusCode))
  if (answer.statusCode === 200) t.match(answer.json(), { isStrong: true })
  else t.equal(answer.headers['retry-after'], '5')
})
