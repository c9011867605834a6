import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { NO_LIMITS } from '../support/browser.ts'
import { buildShared, secrets } from '../support/build.ts'
import { inTime } from '../support/patience.ts'

const GOOD = 'correct-Horse-42-staple'
/** zxcvbn tries every combination of l33t substitutions: five seconds. */
const HOSTILE = 'Aa4@8({[<369!1|7+$5%20'.repeat(3).slice(0, 64)
secrets.add(GOOD).add(HOSTILE)

const check = (app: FastifyInstance, payload: object) =>
  app.inject({ method: 'POST', url: '/api/auth/password/check', payload })

/** The number of responses of GET /health/live during the work. Rating on the event loop would allow none. */
async function countProbes (app: FastifyInstance, work: Promise<unknown>): Promise<number> {
  const end = new AbortController()
  const stop = () => end.abort()
  work.then(stop, stop)
  let answered = 0
  while (!end.signal.aborted) {
    await sleep(5)
    await app.inject('/health/live')
    if (!end.signal.aborted) answered++
  }
  return answered
}

t.test('POST /api/auth/password/check: a hostile password does not block others (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  await check(app, { password: GOOD })
  const hostile = inTime(check(app, { password: HOSTILE }), 'the rating of a hostile password')
  const probes = await countProbes(app, hostile)
  t.match((await hostile).json(), { isStrong: true, valid: true, errors: [] }, 'rated by a part of it')
  t.ok(probes > 3, `GET /health/live was answered ${probes} times`)
  const long = 'a long-winded, Ordinary sentence of 57 quiet little words'
  t.match((await check(app, { password: long })).json(), { score: 4, valid: true }, 'the next one is rated normally')
})

t.test('POST /api/auth/password/check: a flood of hostile passwords (503), others served (200)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  await check(app, { password: GOOD })
  let givenUp = 0
  const flood = inTime(Promise.all(
    Array.from({ length: 80 }, async () => {
      const answer = await check(app, { password: HOSTILE })
      if (answer.statusCode === 200) givenUp++
      return answer
    })
  ), 'a flood, whose requests do not wait for all before them: that would take 80 s')
  const probing = countProbes(app, flood)
  t.match((await check(app, { password: GOOD })).json(), { valid: true })
  t.ok(givenUp < 3, `an ordinary one is not queued behind them: ${givenUp} of 65 came before it`)

  const answers = await flood
  const refused = answers.filter(answer => answer.statusCode === 503)
  t.ok(refused.length >= 80 - 65, `${refused.length} of 80 refused`)
  for (const answer of refused) t.equal(answer.headers['retry-after'], '5')
  for (const answer of answers) if (answer.statusCode !== 503) t.match(answer.json(), { valid: true, errors: [] })
  const probes = await probing
  t.ok(probes > 3, `GET /health/live was answered ${probes} times`)
})

t.test('POST /register: eighty hostile passwords from five addresses delay no registration (202)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
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
  const answers = await inTime(Promise.all(flood), 'the end of the flood')
  for (const { statusCode } of answers) t.ok([200, 503].includes(statusCode))
})
