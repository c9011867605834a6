import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { NO_LIMITS } from '../../../../support/browser.ts'
import { buildShared, secrets } from '../../../../support/build.ts'
import { repeatRefused } from '../../../../support/repeat-refused.ts'

const GOOD = 'correct-Horse-42-staple'
secrets.add(GOOD)

const check = (app: FastifyInstance, payload: object) =>
  app.inject({ method: 'POST', url: '/api/auth/password/check', payload })

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
    (await repeatRefused(() => check(app, { password: 'aB3-'.repeat(18) }))).json().errors.join(),
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
  ['unknown field', { password: GOOD, nick: 'Ann' }, 'body has an unknown field: nick'],
]
t.test('POST /api/auth/password/check: malformed (400)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  for (const [what, payload, message] of MALFORMED) {
    const answer = await check(app, payload)
    t.equal(answer.statusCode, 400, what)
    t.strictSame(answer.json(), { error: 'Bad Request', message }, what)
  }
})

t.test('POST /api/auth/password/check: a weak password that cannot be rated in time (503)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  const password = `Password1!${'4@8({[<369!1|7+$5%20'.repeat(3).slice(0, 40)}Password1!`
  const answer = await check(app, { password })
  t.ok([200, 503].includes(answer.statusCode))
  if (answer.statusCode === 200) t.match(answer.json(), { isStrong: true })
  else t.equal(answer.headers['retry-after'], '5')
})
