import { existsSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { chromium, type Browser, type BrowserContextOptions, type ConsoleMessage } from 'playwright-core'
import type { Test } from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { startProviderA } from '../../demo/provider-a.ts'
import { startProviderB } from '../../demo/provider-b.ts'
import { PROVIDER_C, startProviderC } from '../../demo/provider-c.ts'
import { createBrowser, NO_LIMITS } from './browser.ts'
import { build, checkLog, emptyTables, secrets, untilMailed, type Ending } from './build.ts'
import { WAIT_LIMIT } from './patience.ts'
import { nextNumber, onProcessEnd, shared } from './shared.ts'
import { startSmtp } from './smtp.ts'

/** The first has the same engine without the browser around it: the tests take two thirds of the processor time. */
const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => existsSync(path))

/** Why tests that need a browser are skipped, or false. In CI a skipped test counts as failed. */
export const withoutChromium = CHROMIUM ? false : 'NO CHROMIUM ON THIS MACHINE: TESTS THAT NEED A BROWSER DID NOT RUN'

export const FULL_CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(path => existsSync(path))
/** Why tests that need more than the headless shell are skipped, or false. */
export const withoutFullChromium = FULL_CHROMIUM
  ? false
  : 'NO FULL CHROMIUM ON THIS MACHINE: TESTS THAT NEED MORE THAN ITS HEADLESS SHELL DID NOT RUN'

/** Another site. Only the browser resolves it: the service reaches the providers at 127.0.0.1. */
const PROVIDER_HOST = 'provider.example'
/** Neither localhost nor https, so that browsers offer no Web Locks. */
export const INSECURE_HOST = 'gatehouse.example'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** What Playwright turns off. The flag below replaces its list, so it is repeated here. */
const OFF_IN_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]
/** Pages of the address bar, which each window would load, and a process for a tab that may come. */
const UNUSED = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess']

/** `keepPages`: for the way back and forward. Playwright turns it off, and the headless shell does not have it. */
export const launchChromium = ({ keepPages = false } = {}) => chromium.launch({
  executablePath: keepPages ? FULL_CHROMIUM : CHROMIUM,
  ignoreDefaultArgs: keepPages ? ['--disable-back-forward-cache'] : [],
  args: [
    ...FLAGS,
    `--disable-features=${[...OFF_IN_PLAYWRIGHT, ...UNUSED]}`,
    `--host-resolver-rules=MAP ${PROVIDER_HOST} 127.0.0.1, MAP ${INSECURE_HOST} 127.0.0.1, MAP *.localhost 127.0.0.1`,
  ],
})

/** One browser for all files of a process. Each person has a context, which shares nothing with others. */
export const startChromium = (): Promise<Browser> => shared('chromium', async () => {
  const browser = await launchChromium()
  onProcessEnd(() => browser.close())
  return browser
})

/** Errors that browsers report: any fails the test that has opened the service. */
export const complaints: string[] = []

/** Registered first, so that it runs last: it may throw, and everything must be closed by then. */
function failOnComplaints (t: Test) {
  t.teardown(function failOnComplaints () {
    const all = complaints.splice(0)
    if (all.length > 0) throw new Error(`the browser complained: ${all.join(' | ')}`)
  })
}

interface Surroundings {
  host?: string
  providerHost?: string
  before?(app: FastifyInstance): void
}

/** The whole service with a mail server, and three providers on other sites. */
async function startService (
  t: Ending,
  settings: Record<string, string> = {},
  { host = 'gatehouse.localhost', providerHost = PROVIDER_HOST, before }: Surroundings = {}
) {
  const port = await freePort()
  const url = `http://${host}:${port}`
  const register = (path: string) => ({
    clientId: 'gatehouse',
    clientSecret: 'pr0vider-Secret',
    redirectUri: `${url}/api/auth/${path}/callback`,
  })
  const smtp = await startSmtp(t)
  const [a, b] = [await startProviderA(register('provider-a')), await startProviderB(register('provider-b'))]
  const c = await startProviderC(register(PROVIDER_C))
  t.teardown(() => Promise.all([a.stop(), b.stop(), c.stop()]))
  const elsewhere = (address: string) => address.replace('127.0.0.1', providerHost)
  const built = await build(t, {
    before,
    settings: {
      ...NO_LIMITS,
      ...a.settings,
      ...b.settings,
      ...c.settings,
      PROVIDER_A_AUTHORIZE_URL: elsewhere(a.settings.PROVIDER_A_AUTHORIZE_URL),
      PROVIDER_B_AUTHORIZE_URL: elsewhere(b.settings.PROVIDER_B_AUTHORIZE_URL),
      PUBLIC_URL: url,
      SMTP_URL: smtp.url,
      TRUST_PROXY: '127.0.0.1',
      ...settings,
    },
  })
  await built.app.listen({ port })
  return { ...built, url, port, smtp, a, b, c }
}

export type Service = Awaited<ReturnType<typeof startService>>

/** Without the rows, mails and counters of the test that has ended. */
async function startOver ({ app, log, owner, smtp }: Service) {
  await untilMailed(owner)
  for (const { token } of smtp.mails) if (token) secrets.add(token)
  checkLog(log)
  log.text = ''
  smtp.forget()
  const { counters } = await app.counters.list(() => true)
  for (const { key } of counters) await app.counters.clear(key)
  await owner.query('DELETE FROM pgboss.job')
  await emptyTables(owner)
}

/** The service for a test. With the default settings, one for all files of a process, with empty tables each time. */
export async function openService (t: Test, settings?: Record<string, string>, surroundings?: Surroundings) {
  failOnComplaints(t)
  if (settings ?? surroundings) return startService(t, settings, surroundings)
  const service = await shared('service with providers', () => startService({ teardown: onProcessEnd }))
  t.teardown(() => startOver(service))
  return service
}

/** "401 /login" for a refused request that the browser reports, else the message of the page. */
function complaintOf (message: ConsoleMessage): string {
  const [, what] =
    message.text().match(/^Failed to load resource: (?:the server responded with a status of )?([\w:.]+)/) ?? []
  return what ? `${what} ${new URL(message.location().url).pathname}` : message.text()
}

/** A browser context with its own client address. Unexpected console errors of its pages fail the test. */
export async function newPerson (t: Test, browser: Browser, options: BrowserContextOptions = {}) {
  const number = nextNumber('person')
  const address = `10.2.${Math.floor(number / 250)}.${(number % 250) + 1}`
  const context = await browser.newContext({
    locale: 'en-GB',
    extraHTTPHeaders: { 'x-forwarded-for': address },
    ...options,
  })
  context.setDefaultTimeout(WAIT_LIMIT)
  const heard: string[] = []
  // A rating for which a busy machine had no time within three seconds: the page asks again.
  const expected: Array<string | RegExp> = ['503 /api/auth/password/check']
  context.on('console', message => {
    if (['error', 'warning'].includes(message.type())) heard.push(complaintOf(message))
  })
  context.on('weberror', error => heard.push(String(error.error())))
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', event =>
      console.error('refused by the policy', event.violatedDirective, event.blockedURI))`
  )
  t.teardown(async () => {
    await context.close()
    complaints.push(
      ...heard.filter(
        complaint => !expected.some(each => (typeof each === 'string' ? each === complaint : each.test(complaint)))
      )
    )
  })
  return {
    address,
    context,
    /** Such as `401 /login`: the browser writes every refused request to its console. */
    expect: (...refusals: Array<string | RegExp>) => expected.push(...refusals),
    newPage: () => context.newPage(),
    /** As if it had happened here before. */
    async signIn ({ app, url }: Pick<Service, 'app' | 'url'>, username: string) {
      const { cookies, signIn } = createBrowser(app)
      await signIn(username)
      const tokens = [...cookies].filter(([name]) => name.endsWith('_token'))
      await context.addCookies(
        tokens.map(([name, value]) => ({ name, value, url, httpOnly: true, sameSite: 'Strict' }))
      )
    },
  }
}
