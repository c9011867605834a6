// npm run test:timing: does the response time of a refused login reveal the reason?
// Compares interleaved samples of each cause with those of a wrong password; then repeats it with two planted leaks,
// which must be found.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { build } from '../support/build.ts'
import { compare, median } from '../support/timing/statistics.ts'

const ROUNDS = 100
/** A difference that is both significant and large enough to be measured over a network. */
const SURE = 4
const LARGE = 0.01

type Logins = Record<string, string>

async function sample (app: FastifyInstance, logins: Logins): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(logins).map(cause => [cause, []]))
  const browser = createBrowser(app)
  for (let round = 0; round < ROUNDS; round++) {
    const shuffled = Object.entries(logins).sort(() => Math.random() - 0.5)
    for (const [cause, login] of shuffled) {
      const began = performance.now()
      await browser.signIn(login, 'wr0ng-Guess-in-the-dark!')
      times[cause]?.push(performance.now() - began)
    }
  }
  return times
}

/** The causes that can be distinguished from a wrong password. */
function leaks (times: Record<string, number[]>, title: string): string[] {
  const { wrong = [], ...others } = times
  console.log(`# ${title}: ${ROUNDS} of each; a wrong password takes ${median(wrong).toFixed(1)} ms`)
  return Object.entries(others)
    .filter(([cause, sampled]) => {
      const difference = median(sampled) / median(wrong) - 1
      const z = compare(sampled, wrong)
      const told = Math.abs(z) > SURE && Math.abs(difference) > LARGE
      const time = `${median(sampled).toFixed(1).padStart(7)} ms  ${(difference * 100).toFixed(2).padStart(7)} %`
      console.log(`#   ${cause.padEnd(12)} ${time}  z ${z.toFixed(1).padStart(6)}  ${told ? 'TOLD' : 'not told'}`)
      return told
    })
    .map(([cause]) => cause)
}

t.setTimeout(600_000)
t.test('POST /login: the response time does not reveal the reason (401)', { timeout: 600_000 }, async t => {
  const { app, owner } = await build(t, { settings: NO_LIMITS })
  const logins = {
    wrong: (await createUser(owner)).username,
    unknown: 'nobody',
    'social-only': (await createUser(owner, { password_hash: null, provider: 'provider_a', provider_a_id: '1' }))
      .email,
    disabled: (await createUser(owner, { disabled_at: new Date() })).username,
    unverified: (await createUser(owner, { email_verified_at: null })).username,
  }
  await createBrowser(app).signIn(logins.wrong)
  t.strictSame(leaks(await sample(app, logins), 'as it is'), [])

  const { verify } = app.passwords
  app.passwords.verify = async (password, hash) => (hash ? verify(password, hash) : false)
  t.strictSame(leaks(await sample(app, logins), 'planted: no hash, no work'), ['unknown', 'social-only'])

  app.passwords.verify = async (password, hash) => {
    if (!hash) await sleep(3)
    return verify(password, hash)
  }
  t.strictSame(leaks(await sample(app, logins), 'planted: 3 ms more'), ['unknown', 'social-only'])
})
