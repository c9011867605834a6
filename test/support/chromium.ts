import { existsSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { chromium, type Browser, type BrowserContextOptions, type ConsoleMessage } from 'playwright-core'
import type { Test } from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { startProviderA } from '../../demo/provider-a.ts'
import { startProviderB } from '../../demo/provider-b.ts'
import { PROVIDER_C, startProviderC } from '../../demo/provider-c.ts'
import { createBrowser, NO_LIMITS } from './browser.ts'
import { build } from './build.ts'
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

/** host.ts runs files one after the other, each with its own instance of this module. */
const isHosted = import.meta.url.includes('?')
const host = globalThis as { chromium?: Browser }

/** One browser for all files of a process. Each person has a context, which shares nothing with others. */
export async function startChromium (t: Test): Promise<Browser> {
  const existing = host.chromium
  if (existing?.isConnected()) return existing
  const browser = await launchChromium()
  if (!isHosted) {
    t.teardown(() => browser.close())
    return browser
  }
  host.chromium = browser
  // No further file comes.
  process.stdin.once('end', () => browser.close())
  return browser
}

/** Errors that browsers report: any fails the test that has opened the service. */
export const complaints: string[] = []

/** The whole service with a mail server, and three providers on other sites. */
export async function openService (
  t: Test,
  settings: Record<string, string> = {},
  { host = 'gatehouse.localhost', providerHost = PROVIDER_HOST, before = (_app: FastifyInstance) => {} } = {}
) {
  // Registered first, so that it runs last: it may throw, and everything must be closed by then.
  t.teardown(function failOnComplaints () {
    const all = complaints.splice(0)
    if (all.length > 0) throw new Error(`the browser complained: ${all.join(' | ')}`)
  })
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

export type Service = Awaited<ReturnType<typeof openService>>

/** "401 /login" for a refused request that the browser reports, else the message of the page. */
function complaintOf (message: ConsoleMessage): string {
  const [, what] =
    message.text().match(/^Failed to load resource: (?:the server responded with a status of )?([\w:.]+)/) ?? []
  return what ? `${what} ${new URL(message.location().url).pathname}` : message.text()
}

let addresses = 0

/** A browser context with its own client address. Unexpected console errors of its pages fail the test. */
export async function newPerson (t: Test, browser: Browser, options: BrowserContextOptions = {}) {
  const address = `10.2.0.${++addresses}`
  const context = await browser.newContext({
    locale: 'en-GB',
    extraHTTPHeaders: { 'x-forwarded-for': address },
    ...options,
  })
  context.setDefaultTimeout(60_000)
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
