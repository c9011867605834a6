import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createUser } from '../support/browser.ts'
import { shiftsOf } from '../support/pages/layout-shifts.ts'
import { openOperatorPage } from '../support/pages/operator.ts'
import { fillHouse } from '../support/pages/operator-scenes.ts'
import { eventually } from '../support/patience.ts'
import {
  launchChromium, newPerson, openService, startChromium, withoutChromium, withoutFullChromium,
} from '../support/chromium.ts'

const PATHS = [
  '/login', '/register', '/verify-email', '/reset-password', '/logout', '/nowhere',
  '/dashboard', '/dashboard/security', '/dashboard/devices', '/dashboard/applications', '/dashboard/data',
]
const OPERATOR_PATHS = [
  '/', '/accounts', '/events', '/limits', '/webhooks', '/applications', '/operators', '/service', '/sign-in',
  '/nowhere',
]
/** Of everything that the first visit loads, compressed. */
const MAX_BYTES = 60_000

interface Visit { context: BrowserContext, page: Page }
type Open = (path: string, options: BrowserContextOptions) => Promise<Visit>

/** `url` and `path`: of the page. `open`: a new browser, which may see it. */
async function checkFirstVisit (t: Test, url: string, path: string, open: Open) {
  for (const width of [390, 1280]) {
    await t.test(`${path}, ${width} pixels wide: under ${MAX_BYTES} bytes, and nothing moves`, async t => {
      const { context, page } = await open(path, { viewport: { width, height: 800 } })
      const cdp = await context.newCDPSession(page)
      await cdp.send('Network.enable')
      let bytes = 0
      cdp.on('Network.dataReceived', ({ encodedDataLength }) => { bytes += encodedDataLength })
      await page.goto(url + path, { waitUntil: 'networkidle' })
      t.ok(bytes > 2_000 && bytes < MAX_BYTES, `${bytes} bytes`)
      t.strictSame(await shiftsOf(page), [])
      await context.close()
    })
  }

  await t.test(`${path}: the first paint waits for no script`, async t => {
    const { context, page } = await open(path, { viewport: { width: 390, height: 800 } })
    let release = () => {}
    const released = new Promise<void>(resolve => { release = resolve })
    await page.route('**/*.js', async route => {
      await released
      await route.continue().catch(() => {})
    })
    await page.goto(url + path, { waitUntil: 'commit' })
    const paints = "performance.getEntriesByName('first-contentful-paint').length"
    await eventually(() => page.evaluate<number>(paints), count => count === 1)
    t.ok(await page.locator('main').isVisible())
    release()
    await context.close()
  })
}

t.test('first visits', { skip: withoutChromium }, async t => {
  const service = await openService(t, { OPENID: 'on' })
  const browser = await startChromium()

  async function open (path: string, options: BrowserContextOptions) {
    const person = await newPerson(t, browser, options)
    if (path === '/nowhere') person.expect('404 /nowhere')
    if (path.startsWith('/dashboard')) {
      // Sessions and events of the visits before would count, too.
      const { username } = await createUser(service.owner, { name: 'Ada Lovelace' })
      await person.signIn(service, username)
    }
    return { context: person.context, page: await person.newPage() }
  }
  for (const path of PATHS) await checkFirstVisit(t, service.url, path, open)
})

t.test('first visits of operators', { skip: withoutChromium }, async t => {
  const house = await openOperatorPage(t, await startChromium(), { OPENID: 'on' })
  const { ada, hook, wiki } = await fillHouse(house)

  async function open (path: string, options: BrowserContextOptions) {
    if (path !== '/sign-in') {
      const { person, page } = await house.newPage(options)
      if (path === '/nowhere') person.expect('404 /operator/nowhere')
      return { context: person.context, page }
    }
    const person = await house.newVisitor(options)
    return { context: person.context, page: await person.newPage() }
  }
  for (const path of [...OPERATOR_PATHS, `/accounts/${ada}`, `/webhooks/${hook}`, `/applications/${wiki}`]) {
    await checkFirstVisit(t, house.operatorUrl, path, open)
  }
})

/** Goes to the page, to the other one, and back. How the browser shows it again. */
async function goBack (page: Page, url: string, other: string): Promise<string | undefined> {
  const cdp = await page.context().newCDPSession(page)
  const navigations: string[] = []
  cdp.on('Page.frameNavigated', ({ type }) => navigations.push(type))
  await cdp.send('Page.enable')
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.goto(other)
  await page.evaluate('history.back()')
  await eventually(() => navigations.length, length => length === 3)
  return navigations[2]
}

t.test('back: pages are kept, and nothing is loaded', { skip: withoutFullChromium }, async t => {
  const browser = await launchChromium({ keepPages: true })
  t.teardown(() => browser.close())
  const house = await openOperatorPage(t, browser)
  const user = await createUser(house.owner)
  const person = await newPerson(t, browser)
  await person.signIn(house, user.username)
  for (const path of ['/register', '/reset-password', '/dashboard', '/dashboard/security']) {
    const shown = await goBack(await person.newPage(), house.url + path, `${house.url}/logout`)
    t.equal(shown, 'BackForwardCacheRestore', path)
  }
  const { page } = await house.newPage()
  for (const path of ['/', '/accounts', '/events', '/limits', '/service']) {
    const shown = await goBack(page, house.operatorUrl + path, `${house.operatorUrl}/operators`)
    t.equal(shown, 'BackForwardCacheRestore', `/operator${path}`)
    await page.locator('#main:not(.waiting)').waitFor()
  }

  await t.test('operators: a page that was kept shows nothing after the session has ended', async t => {
    const { page, person } = await house.newPage()
    person.expect('401 /operator/api/v1/session')
    await page.goto(`${house.operatorUrl}/accounts`, { waitUntil: 'networkidle' })
    await page.goto(`${house.operatorUrl}/operators`, { waitUntil: 'networkidle' })
    await person.context.clearCookies()
    await page.evaluate('history.back()')
    await page.waitForURL(/\/operator\/accounts/)
    t.equal(await page.locator('#main').isVisible(), false)
    await page.waitForURL(/\/operator\/sign-in/)
  })
})
