import { chromium, type BrowserContext, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { PASSWORD } from '../browser.ts'
import { FULL_CHROMIUM } from '../chromium.ts'
import { makeFolder } from '../folder.ts'
import { eventually } from '../patience.ts'
import type { TlsFront } from './tls-front.ts'

/** On Linux, keys are kept in software and only for tests. The quota of signatures would make the tests take hours. */
const FEATURES = [
  'DeviceBoundSessions:RefreshQuota/false',
  'EnableBoundSessionCredentialsSoftwareKeysForManualTesting',
]

/** The browser's own verdict: `Network.deviceBoundSessionEventOccurred`. */
export interface Verdict {
  succeeded: boolean
  creationEventDetails?: { fetchResult: string }
  refreshEventDetails?: { refreshResult: string, fetchResult?: string, wasFullyProactiveRefresh: boolean }
  terminationEventDetails?: { deletionReason: string }
  [detail: string]: unknown
}

const launch = (profile: string, { fingerprint, host }: TlsFront, others: string[]) =>
  chromium.launchPersistentContext(profile, {
    // The headless shell has no keys of devices.
    executablePath: FULL_CHROMIUM,
    locale: 'en-GB',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--enable-features=${FEATURES}`,
      `--ignore-certificate-errors-spki-list=${fingerprint}`,
      `--host-resolver-rules=${[host, ...others].map(each => `MAP ${each} 127.0.0.1`).join(', ')}`,
    ],
  })

/** A browser that binds sessions, with a profile that it keeps when it is started again. */
export async function openBoundBrowser (t: Test, front: TlsFront, others: string[] = []) {
  const profile = makeFolder(t, 'profile')
  const verdicts: Verdict[] = []
  let context: BrowserContext
  let page: Page

  async function watch (page: Page) {
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    session.on('Network.deviceBoundSessionEventOccurred' as any, (event: any) => { verdicts.push(event) })
    await session.send('Network.enableDeviceBoundSessions' as any, { enable: true } as any)
  }

  async function start () {
    context = await launch(profile, front, others)
    context.setDefaultTimeout(60_000)
    page = context.pages()[0] ?? await context.newPage()
    await watch(page)
  }

  await start()
  t.teardown(() => context.close())

  /** Runs code in a page of the service. */
  const run = <T>(script: string, where = page) => where.evaluate<T>(`(async () => { ${script} })()`)
  const visit = () => page.goto(`${front.url}/verify-email`)
  const send = (method: string, path: string, body?: object) => run<number>(`
    const response = await fetch('${path}', {
      method: '${method}',
      ${body ? `headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))},` : ''}
    }).catch(() => ({ status: 0 }))
    return response.status`)

  return {
    verdicts,
    run,
    visit,
    send,
    get context () { return context },
    get page () { return page },
    newPage: async () => {
      const other = await context.newPage()
      await other.goto(`${front.url}/verify-email`)
      return other
    },
    refresh: () => send('POST', '/api/auth/refresh'),
    cookies: () => context.cookies(front.url),

    async restart () {
      await context.close()
      await start()
      await visit()
    },

    /** Signs in by password and waits until the browser has registered a key, as it says itself. */
    async signIn (username: string) {
      const before = verdicts.length
      await visit()
      const status = await send('POST', '/login', { username, password: PASSWORD })
      const isCreation = ({ creationEventDetails, succeeded }: Verdict) => succeeded && creationEventDetails
      await eventually(() => verdicts.slice(before), events => events.some(isCreation))
      return status
    },
  }
}

export type BoundBrowser = Awaited<ReturnType<typeof openBoundBrowser>>
