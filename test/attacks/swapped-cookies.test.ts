// The value of one signed cookie, sent under the name of another one: as this version signs it, and as 0.2 did.
import t, { type Test } from 'tap'
import { startProviderA } from '../../demo/provider-a.ts'
import { startProviderC } from '../../demo/provider-c.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../support/browser.ts'
import { buildSharedOperator } from '../support/operator.ts'
import { SESSION } from '../support/operator-session.ts'
import { HOME, registration } from '../support/provider-visits.ts'
import { addTotp, wrongCode } from '../support/second-factor.ts'

const a = await startProviderA(registration('provider-a'))
const gitlab = await startProviderC(registration('gitlab'), 'gitlab')
t.teardown(() => Promise.all([a.stop(), gitlab.stop()]))
const SETTINGS = { ...NO_LIMITS, ...a.settings, ...gitlab.settings, PROVIDERS: 'gitlab', PUBLIC_URL: HOME }

/** Those that 0.2 gave to a browser for longer than a sign-in takes. */
const STAY_VALID = ['device', 'remembered_browser', '_csrf']

/** Every signed cookie, of an account with a second factor. */
async function setUp (t: Test) {
  const { app, operator, owner } = await buildSharedOperator(t, { settings: SETTINGS })
  const user = await createUser(owner)
  const totp = await addTotp(owner, user.id)
  await app.operators.add(user.id)
  const [browser, page] = [createBrowser(app), createBrowser(operator)]
  await browser.signIn(user.username)
  await browser.post('/login/second-factor', { code: await totp.freshCode(), remember: true })
  await browser.get('/api/csrf-token')
  const newcomer = { username: 'newcomer', email: 'newcomer@example.com', password: PASSWORD }
  await browser.post('/register', newcomer)
  const kept = new Map(browser.cookies)
  await browser.post('/login/passkey/options')
  for (const name of ['provider-a', 'gitlab']) await browser.get(`/api/auth/${name}?next=/reports`)
  browser.cookies.delete('remembered_browser')
  await browser.signIn(user.username)
  await page.post(SESSION, { username: user.username, password: PASSWORD })
  await page.post(`${SESSION}/passkey/options`)

  const signed = [...new Map([...kept, ...browser.cookies, ...page.cookies])]
    .filter(([name]) => !/^(access|refresh)_token$/.test(name))
    .map(([name, present]) => {
      const value = (name.startsWith('operator_') ? operator : app).unsignCookie(present).value as string
      const payload = value.replace(/\.~\w+$/, '')
      return { name, texts: [payload, value], present, former: app.signCookie(payload) }
    })
  return { app, operator, owner, user, totp, kept, signed }
}

type Service = Awaited<ReturnType<typeof setUp>>
/** `texts`: what the cookie says, with and without the name that is signed. */
interface Source { texts: string[], cookie: string }

/** For each cookie: whether the service uses this value of it. */
function acceptances (service: Service): Record<string, (source: Source) => Promise<boolean>> {
  const { app, operator, owner, user, totp, kept, signed } = service

  const payloadIn = ({ cookies }: Browser, name: string) => String(cookies.get(name)).split('.')
  const events = async () => (await owner.query('SELECT FROM auth_events')).rowCount as number

  /** Comes back from a provider that was never visited, with the state that the cookie has. */
  async function reachesProvider (path: string, part: 'state' | 'verifier', { texts, cookie }: Source) {
    const browser = createBrowser(app)
    const { searchParams } = new URL(String((await browser.get(`/api/auth/${path}`)).headers.location))
    const cookies = new Map(browser.cookies).set(`${path.replace('-', '_')}_${part}`, cookie)
    const before = a.exchanges + gitlab.exchanges + await events()
    for (const state of part === 'state' ? texts : [String(searchParams.get('state'))]) {
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      await browser.get(`/api/auth/${path}/callback?${new URLSearchParams({ code: 'x', state, iss: gitlab.url })}`)
    }
    return a.exchanges + gitlab.exchanges + await events() > before
  }

  /** The path to return to is used with the state that it was stored for. */
  async function leadsOn (path: string, { cookie }: Source) {
    const key = path.replace('-', '_')
    const browser = createBrowser(app)
    browser.cookies.set(`${key}_transaction`, cookie)
    const state = signed.find(({ name }) => name === `${key}_state`)?.texts[0]
    const { headers } = await browser.get(`/api/auth/${path}/callback?state=${state}`)
    return String(headers.location).includes('next=')
  }

  async function isStep (at: typeof app, url: string, name: string, { cookie }: Source) {
    const browser = createBrowser(at)
    browser.cookies.set(name, cookie)
    return (await browser.post(url, { code: wrongCode(totp.secret) })).json().error === 'Invalid code'
  }

  /** A new challenge is added to those that the browser has. */
  async function isAddedTo (at: typeof app, url: string, name: string, { texts: [text], cookie }: Source) {
    const browser = createBrowser(at)
    browser.cookies.set(name, cookie)
    await browser.post(url)
    return payloadIn(browser, name).includes(text?.split('.')[1] as string)
  }

  async function keepsCsrfSecret ({ texts: [text], cookie }: Source) {
    const browser = createBrowser(app)
    for (const [name, value] of kept) browser.cookies.set(name, value)
    browser.cookies.set('_csrf', cookie)
    const { statusCode } = await browser.get('/api/csrf-token')
    return statusCode !== 200 || payloadIn(browser, '_csrf')[0] === text
  }

  async function isKnownAs ({ texts: [text], cookie }: Source) {
    const browser = createBrowser(app)
    // Each of the others is a new browser.
    await app.counters.clear(`new-browsers:${user.id}`)
    browser.cookies.set('remembered_browser', kept.get('remembered_browser') as string)
    browser.cookies.set('device', cookie)
    const { statusCode } = await browser.signIn(user.username)
    return statusCode !== 200 || payloadIn(browser, 'device')[0] === text?.split('.')[0]
  }

  async function isRemembered ({ cookie }: Source) {
    const browser = createBrowser(app)
    browser.cookies.set('remembered_browser', cookie)
    return (await browser.signIn(user.username)).statusCode === 200
  }

  /** The link is opened in the browser that registered. */
  async function hasRegistered ({ cookie }: Source) {
    const browser = createBrowser(app)
    browser.cookies.set('registration', cookie)
    const { rows: [{ id }] } = await owner.query("SELECT id FROM users WHERE username = 'newcomer'")
    await browser.post('/verify-email', { token: await app.oneTimeTokens.issue(id, 'verify') })
    return browser.cookies.has('access_token')
  }

  return {
    device: isKnownAs,
    registration: hasRegistered,
    remembered_browser: isRemembered,
    _csrf: keepsCsrfSecret,
    login_step: source => isStep(app, '/login/second-factor', 'login_step', source),
    operator_login_step: source => isStep(operator, `${SESSION}/second-factor`, 'operator_login_step', source),
    passkey_challenge: source => isAddedTo(app, '/login/passkey/options', 'passkey_challenge', source),
    operator_passkey_challenge: source =>
      isAddedTo(operator, `${SESSION}/passkey/options`, 'operator_passkey_challenge', source),
    ...Object.fromEntries(['provider-a', 'gitlab'].flatMap(path => {
      const key = path.replace('-', '_')
      return [
        [`${key}_state`, (source: Source) => reachesProvider(path, 'state', source)],
        [`${key}_verifier`, (source: Source) => reachesProvider(path, 'verifier', source)],
        [`${key}_transaction`, (source: Source) => leadsOn(path, source)],
      ]
    })),
  }
}

t.test('signed cookies: the value of each under the name of every other one is not accepted', async t => {
  const service = await setUp(t)
  const { signed } = service
  const accepted = acceptances(service)
  t.strictSame(signed.map(({ name }) => name).sort(), Object.keys(accepted).sort(), 'every signed cookie is tried')

  for (const [target, isAccepted] of Object.entries(accepted)) {
    for (const { name, texts, present, former } of signed) {
      const own = name === target
      t.equal(await isAccepted({ texts, cookie: present }), own, `${name} as ${target}`)
      const stays = own && STAY_VALID.includes(name)
      t.equal(await isAccepted({ texts, cookie: former }), stays, `${name} as ${target}, as 0.2 signed it`)
    }
  }
})
