// npm run test:timing: does the response time reveal whether an account exists, or why a login was refused?
// Each route gets requests of every class, interleaved, and requests with a planted leak, which must be found.
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { noPassword } from '../../src/passwords/no-password.ts'
import { startApplication } from '../support/application.ts'
import { createBrowser, createUser, hashOf, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build, type pg } from '../support/build.ts'
import { WITH_MAIL } from '../support/mail-sign-in.ts'
import { addTotp } from '../support/second-factor.ts'
import { startSmtp } from '../support/smtp.ts'
import { measure } from '../support/timing/sampler.ts'

const PLANTED = '+ 3 ms (planted)'
const NO_HASH = 'no hash (planted)'
/** A hash takes about 9 ms: enough to notice one that is left out, and fast enough for many samples. */
const COST = 7

/** Answers to the hooks with data to store. */
const application = await startApplication(t)
application.reset({ allow: true, data: { plan: 'free' } })
const HOOKS: Array<[words: string, settings: Record<string, string>]> =
  [['', {}], [', with hooks', application.settings()]]

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const smtp = await startSmtp(t)
  const { app, owner } = await build(t, {
    settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url, BCRYPT_COST: String(COST), ...settings },
    before (app) {
      app.addHook('onRequest', async request => {
        if (request.headers['x-planted']) await sleep(3)
      })
      // Another instance sends the mails: sending them here would only add noise.
      app.addHook('onReady', async () => app.jobs.addOnly())
    },
  })
  // Requests come one after the other, so that a variable is enough to tell those without a hash.
  let hashing = true
  const { verify, hash } = app.passwords
  const oneHash = await hashOf(PASSWORD, COST)
  app.passwords.verify = async (...args) => hashing ? verify(...args) : false
  app.passwords.hash = async (...args) => hashing ? hash(...args) : oneHash

  const browser = createBrowser(app)
  return {
    app,
    owner,
    send: (url: string, payload: object, planted = false) =>
      browser.send('POST', url, payload, planted ? { 'x-planted': 'yes' } : {}),
    async withoutHash (work: () => Promise<unknown>) {
      hashing = false
      await work().finally(() => { hashing = true })
    },
  }
}

/** As many accounts as there may be rounds: a mailbox gets only a few mails in an hour. */
function addUsers (owner: pg.Pool, name: string, verifiedAt: Date | null = new Date()) {
  return owner.query(
    `INSERT INTO users (username, email, password_hash, email_verified_at)
     SELECT $1 || number, $1 || number || '@example.com', 'none', $2 FROM generate_series(-1, 6000) AS number`,
    [name, verifiedAt]
  )
}

for (const [words, settings] of HOOKS) {
  t.test(`POST /login: equal time for every reason of a refusal${words}`, async t => {
    const { owner, send, withoutHash } = await setUp(t, settings)
    const hash = await hashOf(PASSWORD, COST)
    const add = async (given: Parameters<typeof createUser>[1]) =>
      (await createUser(owner, { password_hash: hash, ...given })).email
    const wrong = await add({})
    const social = await add({ password_hash: null, provider: 'provider_a', provider_a_id: '1' })
    const expired = await add({ password_hash: noPassword() })
    const disabled = await add({ disabled_at: new Date() })
    const unverified = await add({ email_verified_at: null })
    const protectedUser = await createUser(owner, { password_hash: hash })
    await addTotp(owner, protectedUser.id)
    const login = (username: string, planted?: boolean) =>
      send('/login', { username, password: 'wr0ng-Guess-in-the-dark!' }, planted)

    await measure(t, {
      reference: () => login(wrong),
      classes: {
        unknown: number => login(`nobody${number}@example.com`),
        'social only': () => login(social),
        'expired password': () => login(expired),
        disabled: () => login(disabled),
        unverified: () => login(unverified),
        'with a second factor': () => login(protectedUser.email),
      },
      planted: {
        [PLANTED]: number => login(`nobody${number}@example.com`, true),
        [NO_HASH]: number => withoutHash(() => login(`nobody${number}@example.com`)),
      },
    })
  })
}

for (const [words, settings] of HOOKS) {
  t.test(`POST /register: equal time for a known and an unknown address${words}`, async t => {
    const { owner, send, withoutHash } = await setUp(t, settings)
    await addUsers(owner, 'known')
    const register = (kind: string, number: number, email: string, planted?: boolean) =>
      send('/register', { username: `${kind}-${number}`, email, password: PASSWORD }, planted)

    await measure(t, {
      reference: number => register('new', number, `new${number}@example.com`),
      classes: { known: number => register('again', number, `known${number}@example.com`) },
      planted: {
        [PLANTED]: number => register('slow', number, `slow${number}@example.com`, true),
        [NO_HASH]: number => withoutHash(() => register('quick', number, `quick${number}@example.com`)),
      },
    })
  })
}

for (const [url, verified] of [['/reset-password', true], ['/verify-email/resend', false]] as const) {
  t.test(`POST ${url}: equal time for a known and an unknown address`, async t => {
    const { owner, send } = await setUp(t)
    await addUsers(owner, 'known', verified ? new Date() : null)
    await measure(t, {
      reference: number => send(url, { email: `nobody${number}@example.com` }),
      classes: { known: number => send(url, { email: `known${number}@example.com` }) },
      planted: { [PLANTED]: number => send(url, { email: `slow${number}@example.com` }, true) },
    })
  })
}

/** Every class of addresses, as many of each as there may be rounds. */
async function addMailboxes (owner: pg.Pool) {
  await addUsers(owner, 'known')
  await addUsers(owner, 'unverified', null)
  await addUsers(owner, 'disabled')
  await owner.query("UPDATE users SET disabled_at = now() WHERE username LIKE 'disabled%'")
}

const MAILBOXES = ['known', 'unverified', 'disabled']

t.test('POST /login/mail: equal time for every address', async t => {
  const { owner, send } = await setUp(t)
  await addMailboxes(owner)
  const ask = (name: string, number: number, planted?: boolean) =>
    send('/login/mail', { email: `${name}${number}@example.com` }, planted)
  await measure(t, {
    reference: number => ask('nobody', number),
    classes: Object.fromEntries(MAILBOXES.map(name => [name, (number: number) => ask(name, number)])),
    planted: { [PLANTED]: number => ask('slow', number, true) },
  })
})

t.test('POST /login/mail/confirm: equal time for a wrong code of every address', async t => {
  const { app, owner, send } = await setUp(t)
  await addMailboxes(owner)
  /** The code is made as for the mail, which disabled and unknown accounts do not get. Measures the second request. */
  async function guess (name: string, number: number, planted?: boolean) {
    const email = `${name}${number}@example.com`
    await send('/login/mail', { email })
    const user = ['known', 'unverified'].includes(name) ? await app.users.findByEmail(email) : undefined
    if (user) await app.mailCodes.issue({ purpose: 'sign-in', email, userId: user.id })
    const sent = performance.now()
    await send('/login/mail/confirm', { code: '000000' }, planted)
    return performance.now() - sent
  }
  await measure(t, {
    reference: number => guess('nobody', number),
    classes: Object.fromEntries(MAILBOXES.map(name => [name, (number: number) => guess(name, number)])),
    planted: { [PLANTED]: number => guess('slow', number, true) },
  })
})
