import t from 'tap'
import { createUser } from '../support/browser.ts'
import { eventually } from '../support/patience.ts'
import {
  launchChromium, newPerson, openService, startChromium, withoutChromium, withoutFullChromium,
} from '../support/chromium.ts'

const PATHS = [
  '/login', '/register', '/verify-email', '/reset-password', '/logout', '/nowhere',
  '/dashboard', '/dashboard/security', '/dashboard/devices', '/dashboard/applications', '/dashboard/data',
]
/** Of everything that the first visit loads, compressed. */
const MAX_BYTES = 60_000

/** What has moved on the page by itself, and how far. */
const SHIFTS = `new Promise(resolve => {
  const shifts = []
  new PerformanceObserver(list => shifts.push(...list.getEntries().map(({ value, sources }) =>
    value.toFixed(3) + ' ' + sources.map(({ node }) => node?.id || node?.nodeName).join(' ')
  ))).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => setTimeout(() => resolve(shifts), 100))
})`

t.test('first visits', { skip: withoutChromium, timeout: 300_000 }, async t => {
  const service = await openService(t, { OPENID: 'on' })
  const browser = await startChromium(t)
  const user = await createUser(service.owner, { name: 'Ada Lovelace' })

  async function newVisitor (path: string, width: number) {
    const person = await newPerson(t, browser, { viewport: { width, height: 800 } })
    if (path === '/nowhere') person.expect('404 /nowhere')
    if (path.startsWith('/dashboard')) await person.signIn(service, user.username)
    return { ...person, page: await person.newPage() }
  }

  for (const path of PATHS) {
    for (const width of [390, 1280]) {
      await t.test(`${path}, ${width} pixels wide: under ${MAX_BYTES} bytes, and nothing moves`, async t => {
        const { context, page } = await newVisitor(path, width)
        const cdp = await context.newCDPSession(page)
        await cdp.send('Network.enable')
        let bytes = 0
        cdp.on('Network.dataReceived', ({ encodedDataLength }) => { bytes += encodedDataLength })
        await page.goto(service.url + path, { waitUntil: 'networkidle' })
        t.ok(bytes > 2_000 && bytes < MAX_BYTES, `${bytes} bytes`)
        t.strictSame(await page.evaluate(SHIFTS), [])
        await context.close()
      })
    }

    await t.test(`${path}: the first paint waits for no script`, async t => {
      const { context, page } = await newVisitor(path, 390)
      let release = () => {}
      const released = new Promise<void>(resolve => { release = resolve })
      await page.route('**/*.js', async route => {
        await released
        await route.continue().catch(() => {})
      })
      await page.goto(service.url + path, { waitUntil: 'commit' })
      await eventually(() => page.evaluate<number>("performance.getEntriesByName('first-contentful-paint').length"),
        painted => painted === 1, 10_000)
      t.ok(await page.locator('main').isVisible())
      release()
      await context.close()
    })
  }
})

t.test('back: pages are kept, and nothing is loaded', { skip: withoutFullChromium }, async t => {
  const service = await openService(t)
  const browser = await launchChromium({ keepPages: true })
  t.teardown(() => browser.close())
  const user = await createUser(service.owner)
  const person = await newPerson(t, browser)
  await person.signIn(service, user.username)
  for (const path of ['/register', '/reset-password', '/dashboard', '/dashboard/security']) {
    const page = await person.newPage()
    const cdp = await person.context.newCDPSession(page)
    const navigations: string[] = []
    cdp.on('Page.frameNavigated', ({ type }) => navigations.push(type))
    await cdp.send('Page.enable')
    await page.goto(service.url + path, { waitUntil: 'networkidle' })
    await page.goto(`${service.url}/logout`)
    await page.evaluate('history.back()')
    await eventually(() => navigations.length, length => length === 3, 10_000)
    t.equal(navigations[2], 'BackForwardCacheRestore', path)
  }
})
