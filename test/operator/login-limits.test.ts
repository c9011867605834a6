// Guesses on one listener must not lock the owner of the account out of the other.
import t, { type Test } from 'tap'
import { createBrowser, PASSWORD } from '../support/browser.ts'
import { SESSION, setUpOperator } from '../support/operator-session.ts'
import { wrongCode } from '../support/second-factor.ts'

const MAX = 5
const MAX_CODES = 10
const WRONG = 'wrong-Guess-77-again'

/** Both listeners, used from one address: that of a shared office, or of a proxy. */
async function setUp (t: Test, settings = {}) {
  const service = await setUpOperator(t, { LIMIT_LOGIN_MAX: '5', LIMIT_ACCOUNT_MAX: '5', ...settings })
  const { app, operator, user, totp } = service
  const address = '192.0.2.7'
  const places = {
    public: { browser: createBrowser(app, { address }), login: '/login' },
    operators: { browser: createBrowser(operator, { address }), login: SESSION },
  }
  type Place = keyof typeof places
  const signIn = async (place: Place, password = PASSWORD) => {
    const { browser, login } = places[place]
    return (await browser.post(login, { username: user.username, password })).statusCode
  }
  const sendCode = async (place: Place, code: string) => {
    const { browser, login } = places[place]
    return (await browser.post(`${login}/second-factor`, { code })).statusCode
  }
  return { ...service, signIn, sendCode, wrong: () => wrongCode(totp.secret) }
}

for (const [here, there] of [['public', 'operators'], ['operators', 'public']] as const) {
  t.test(`wrong passwords, ${here}: limited there (429), and do not count for ${there} (202)`, async t => {
    const { api, user, signIn } = await setUp(t)
    for (let guess = 0; guess < MAX; guess++) t.equal(await signIn(here, WRONG), 401)
    t.equal(await signIn(here), 429)
    t.equal(await signIn(there), 202)
    const { limits } = (await api('GET', `/limits?account=${user.username}`)).json()
    const reached = limits.filter(({ reached }: { reached: boolean }) => reached)
    t.match(reached, [{ limit: here === 'public' ? 'account' : 'operator-account', count: MAX }])
    t.equal(reached.length, 1)
  })

  t.test(`wrong codes, ${here}: limited there (429), and do not count for ${there}`, async t => {
    const { api, user, totp, signIn, sendCode, wrong } = await setUp(t, {
      LIMIT_LOGIN_MAX: '1000', LIMIT_ACCOUNT_MAX: '1000',
    })
    for (let guess = 0; guess < MAX_CODES; guess++) {
      t.equal(await signIn(here), 202)
      t.equal(await sendCode(here, wrong()), 401)
    }
    t.equal(await signIn(here), 202)
    t.equal(await sendCode(here, await totp.freshCode()), 429)
    t.equal(await signIn(there), 202)
    t.match(await sendCode(there, await totp.freshCode()), /20[04]/)
    const { limits } = (await api('GET', `/limits?account=${user.username}`)).json()
    const reached = limits.filter(({ reached }: { reached: boolean }) => reached)
    t.match(reached, [{ limit: here === 'public' ? 'codes' : 'operator-codes', count: MAX_CODES }])
    t.equal(reached.length, 1)
  })
}
