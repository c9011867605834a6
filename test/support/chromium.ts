import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContextOptions, type ConsoleMessage } from 'playwright-core'
import type { Test } from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { startProviderA } from '../../demo/provider-a.ts'
import { startProviderB } from '../../demo/provider-b.ts'
import { createBrowser, NO_LIMITS } from './browser.ts'
import { build } from './build.ts'
import { startSmtp } from './smtp.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(path =>
  existsSync(path)
)

/** Why the tests that need a browser do not run. CI takes a skipped test for a failed one. */
export const withoutChromium = CHROMIUM ? false : 'NO CHROMIUM ON THIS MACHINE: TESTS THAT NEED A BROWSER DID NOT RUN'

/** Another site than ours. Only the browser knows it: the service asks the providers at 127.0.0.1. */
const PROVIDER_HOST = 'provider.example'
/** Not localhost and not https, so that browsers offer no Web Locks there. */
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

export async function startChromium (t: Test): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...FLAGS,
      `--host-resolver-rules=MAP ${PROVIDER_HOST} 127.0.0.1, MAP ${INSECURE_HOST} 127.0.0.1, MAP *.localhost 127.0.0.1`,
    ],
  })
  t.teardown(() => browser.close())
  return browser
}

const complaints: string[] = []

/** The whole service at an address that browsers can open, with a mail server, and both providers on another site. */
export async function openHouse (t: Test, settings: Record<string, string> = {}) {
  // Said first, so that it runs last: what throws here leaves nothing open.
  t.teardown(function nobodyComplained () {
    const all = complaints.splice(0)
    if (all.length > 0) throw new Error(`the browser complained: ${all.join(' | ')}`)
  })
  const port = await freePort()
  const url = `http://gatehouse.localhost:${port}`
  const register = (path: string) => ({
    clientId: 'gatehouse',
    clientSecret: 'pr0vider-Secret',
    redirectUri: `${url}/api/auth/${path}/callback`,
  })
  const smtp = await startSmtp(t)
  const [a, b] = [await startProviderA(register('provider-a')), await startProviderB(register('provider-b'))]
  t.teardown(() => Promise.all([a.stop(), b.stop()]))
  const elsewhere = (address: string) => address.replace('127.0.0.1', PROVIDER_HOST)
  const built = await build(t, {
    settings: {
      ...NO_LIMITS,
      ...a.settings,
      ...b.settings,
      PROVIDER_A_AUTHORIZE_URL: elsewhere(a.settings.PROVIDER_A_AUTHORIZE_URL),
      PROVIDER_B_AUTHORIZE_URL: elsewhere(b.settings.PROVIDER_B_AUTHORIZE_URL),
      PUBLIC_URL: url,
      SMTP_URL: smtp.url,
      TRUST_PROXY: '127.0.0.1',
      ...settings,
    },
  })
  await built.app.listen({ port })
  return { ...built, url, port, smtp, a, b }
}

export type House = Awaited<ReturnType<typeof openHouse>>

/** "401 /login" for what the browser itself reports of a refused request, else what the page said. */
function complaintOf (message: ConsoleMessage): string {
  const [, what] =
    message.text().match(/^Failed to load resource: (?:the server responded with a status of )?([\w:.]+)/) ?? []
  return what ? `${what} ${new URL(message.location().url).pathname}` : message.text()
}

let addresses = 0

/** A browser of one person's own, at an address of its own. Whatever its pages complain about fails the test, but for what is expected. */
export async function newPerson (t: Test, browser: Browser, options: BrowserContextOptions = {}) {
  const address = `10.2.0.${++addresses}`
  const context = await browser.newContext({
    locale: 'en-GB',
    extraHTTPHeaders: { 'x-forwarded-for': address },
    ...options,
  })
  context.setDefaultTimeout(10_000)
  const heard: string[] = []
  const expected: Array<string | RegExp> = []
  context.on('console', message => {
    if (['error', 'warning'].includes(message.type())) heard.push(complaintOf(message))
  })
  context.on('weberror', error => heard.push(String(error.error())))
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', event => console.error('refused by the policy', event.violatedDirective, event.blockedURI))"
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
    /** Such as `401 /login`: the browser writes every refusal into its console. */
    expect: (...refusals: Array<string | RegExp>) => expected.push(...refusals),
    newPage: () => context.newPage(),
    /** As if it had happened here before. */
    async signIn ({ app, url }: Pick<House, 'app' | 'url'>, username: string) {
      const { cookies, signIn } = createBrowser(app)
      await signIn(username)
      const tokens = [...cookies].filter(([name]) => name.endsWith('_token'))
      await context.addCookies(
        tokens.map(([name, value]) => ({ name, value, url, httpOnly: true, sameSite: 'Strict' }))
      )
    },
  }
}
