import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { noPassword } from '../../src/passwords/no-password.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { buildShared, secrets } from '../support/build.ts'
import { addTotp } from '../support/second-factor.ts'
import { shareSmtp } from '../support/smtp.ts'

// No status, header or byte shows whether an account exists. For response times, see npm run test:timing.

/** Headers that differ between any two responses. */
const OF_THE_MOMENT = ['date', 'ratelimit-remaining', 'ratelimit-reset']

/** The values of cookies are random: they must not differ in their length, nor in their attributes. */
const withoutValue = (header: unknown) =>
  [header].flat().map(cookie => String(cookie).replace(/=([^;]+)/, (_, value) => `=${value.length}`))

function bytes ({ statusCode, headers, rawPayload }: LightMyRequestResponse): string {
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.includes(name))
    .map(([name, value]) => [name, name === 'set-cookie' ? withoutValue(value) : value])
  return JSON.stringify({ statusCode, headers: kept, body: rawPayload.toString('base64') })
}

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  return buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } })
}

t.test('known and unknown accounts: byte-identical responses', async t => {
  const { app, owner } = await setUp(t)
  const withFactor = await createUser(owner)
  await addTotp(owner, withFactor.id)
  const people: Record<string, { username: string, email: string }> = {
    nobody: { username: 'nobody', email: 'nobody@example.com' },
    'an account': await createUser(owner),
    'an unverified one': await createUser(owner, { email_verified_at: null }),
    'a disabled one': await createUser(owner, { disabled_at: new Date() }),
    'a social one': await createUser(owner, { password_hash: null, provider: 'provider_a', provider_a_id: '1' }),
    'one with a second factor': withFactor,
    'one with an expired password': await createUser(owner, { password_hash: noPassword() }),
  }
  let registrations = 0
  const ASKED: Record<string, (person: { username: string, email: string }) => [url: string, body: object]> = {
    'login by name': ({ username }) => ['/login', { username, password: 'wr0ng-Guess-in-the-dark!' }],
    'login by email': ({ email }) => ['/login', { username: email, password: 'wr0ng-Guess-in-the-dark!' }],
    'login with an overlong password': ({ username }) => ['/login', { username, password: 'x'.repeat(900) }],
    registration: ({ email }) => [
      '/register',
      { username: `newcomer-${++registrations}`, email, password: PASSWORD },
    ],
    'registration with a weak password': ({ email }) => [
      '/register',
      { username: `weakling-${++registrations}`, email, password: 'weak' },
    ],
    'a new verification mail': ({ email }) => ['/verify-email/resend', { email }],
    'a reset': ({ email }) => ['/reset-password', { email }],
  }
  for (const [what, ask] of Object.entries(ASKED)) {
    const answers = new Map<string, string>()
    for (const [who, person] of Object.entries(people)) {
      answers.set(bytes(await createBrowser(app).post(...ask(person))), who)
    }
    t.equal(answers.size, 1, `${what}: ${[...answers.keys()].join('\n')}`)
  }
})

t.test('expired, used, wrong and made-up links: identical responses', async t => {
  const { app, owner } = await setUp(t)
  const issue = async (kind: 'reset' | 'verify', given = {}) => {
    const token = await app.oneTimeTokens.issue((await createUser(owner, given)).id, kind)
    secrets.add(token)
    return token
  }
  for (const [url, kind, other] of [
    ['/reset-password/confirm', 'reset', 'verify'],
    ['/verify-email', 'verify', 'reset'],
  ] as const) {
    const ended = { expired: await issue(kind), used: await issue(kind) }
    await owner.query(
      "UPDATE one_time_tokens SET expires_at = now() - interval '1 second' WHERE token = sha256($1)",
      [ended.expired]
    )
    await owner.query('UPDATE one_time_tokens SET used_at = now() WHERE token = sha256($1)', [ended.used])
    const links: Record<string, string> = {
      ...ended,
      'of the other kind': await issue(other),
      'made up': 'x'.repeat(43),
      short: 'x',
    }
    if (kind === 'reset') links['of a disabled account'] = await issue(kind, { disabled_at: new Date() })
    const answers = new Map<string, string>()
    for (const [what, token] of Object.entries(links)) {
      const body = kind === 'reset' ? { token, password: PASSWORD } : { token }
      answers.set(bytes(await createBrowser(app).post(url, body)), what)
    }
    t.equal(answers.size, 1, `${url}: ${[...answers].join('\n')}`)
    t.match([...answers.keys()][0], '"statusCode":400')
  }
})
