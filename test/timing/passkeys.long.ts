// npm run test:timing: does the response time reveal whether a passkey is known?
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createAuthenticator, type Fault } from '../support/authenticator.ts'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { build } from '../support/build.ts'
import { enrolled, ORIGIN, usePasskey, type Authenticator } from '../support/passkeys.ts'
import { measure } from '../support/timing/sampler.ts'

t.test('POST /login/passkey: equal time for every reason of a refusal', async t => {
  const { app, owner } = await build(t, {
    settings: { ...NO_LIMITS, PUBLIC_URL: ORIGIN },
    before (app) {
      app.addHook('onRequest', async request => {
        if (request.headers['x-planted']) await sleep(3)
      })
    },
  })

  async function newPasskey (given: Parameters<typeof createUser>[1] = {}) {
    const user = await createUser(owner)
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    const { authenticator } = await enrolled(browser)
    if (given.disabled_at) await owner.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id])
    return authenticator
  }
  const [known, disabled] = [await newPasskey(), await newPasskey({ disabled_at: new Date() })]
  const unknown = createAuthenticator(ORIGIN)
  const browser = createBrowser(app)
  const refuse = async (authenticator: Authenticator, fault: Fault, planted = false) => {
    const response = await usePasskey(browser, authenticator, fault)
    const answer = await browser.send('POST', '/login/passkey', { response }, planted ? { 'x-planted': 'yes' } : {})
    if (answer.statusCode !== 401) throw new Error(answer.body)
  }

  await measure(t, {
    reference: () => refuse(known, { forged: true }),
    classes: {
      unknown: () => refuse(unknown, { userHandle: known.handle }),
      'unknown, wrong signature': () => refuse(unknown, { userHandle: known.handle, forged: true }),
      'disabled account': () => refuse(disabled, { forged: true }),
    },
    planted: { '+ 3 ms (planted)': () => refuse(unknown, { userHandle: known.handle }, true) },
  })
})
