import type { Page } from 'playwright-core'
import t from 'tap'
import { createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium, type Service } from '../support/chromium.ts'

/** What a hole in the escaping of text would let in. */
const INJECTED = `
  <script>(window.ran ??= []).push('script')</script>
  <img id="pixel" src="/gatehouse/icon.svg" onload="(window.ran ??= []).push('handler')" alt="">
  <p id="styled" style="position: fixed">x</p>
  <style>#styled { z-index: 7 }</style>`

const POLICY = /<meta http-equiv="Content-Security-Policy"[^>]*>/

/** What each page shows when its scripts have run. */
const WORKING: Record<string, string> = {
  '/login': '#login button[type=submit]:enabled',
  '/register': 'button[type=submit]:enabled',
  '/verify-email': '#again button[type=submit]:enabled',
  '/reset-password': '#ask button[type=submit]:enabled',
  '/dashboard': '#edit-name',
  '/logout': '#logout button[type=submit]',
  '/docs': '#operations-Sign-in-login',
}

/** Opens the page with the markup in it, and without our policy if asked: then only that of the header applies. */
async function openInjected (page: Page, { app, url }: Service, path: string, { withPolicy = true } = {}) {
  await page.route(`${url}${path}`, async route => {
    const { headers, body } = await app.inject(path)
    const html = body.replace(/<body[^>]*>/, tag => tag + INJECTED)
    await route.fulfill({
      headers: { 'content-security-policy': String(headers['content-security-policy']) },
      contentType: 'text/html; charset=utf-8',
      body: withPolicy ? html : html.replace(POLICY, ''),
    })
  })
  await page.goto(`${url}${path}`)
  await page.waitForFunction("document.getElementById('pixel')?.complete")
}

const effects = (page: Page) =>
  page.evaluate(() => {
    const { position, zIndex } = getComputedStyle(document.getElementById('styled') as HTMLElement)
    return { ran: (window as { ran?: string[] }).ran ?? [], position, zIndex }
  })

t.test('inline code in a page', { skip: withoutChromium }, async t => {
  const house = await openService(t)
  const { username } = await createUser(house.owner)
  const person = await newPerson(t, await startChromium())
  person.expect(/^refused by the policy (script-src-elem|script-src-attr|style-src-elem|style-src-attr) inline$/)
  person.expect(/violates the following Content Security Policy directive '(script|style)-src 'self''/)

  for (const [path, shown] of Object.entries(WORKING)) {
    await t.test(`${path}: inline scripts, handlers and styles have no effect, and the page works`, async t => {
      if (path === '/dashboard') await person.signIn(house, username)
      const page = await person.newPage()
      await openInjected(page, house, path)
      await page.locator(shown).first().waitFor()
      t.strictSame(await effects(page), { ran: [], position: 'static', zIndex: 'auto' })
      await page.close()
    })
  }

  await t.test('without the policy of the page, that of the header allows all of it', async t => {
    const page = await person.newPage()
    await openInjected(page, house, '/register', { withPolicy: false })
    t.strictSame(await effects(page), { ran: ['script', 'handler'], position: 'fixed', zIndex: '7' })
  })
})

t.test('the browser features that a page may use', { skip: withoutChromium }, async t => {
  const { url } = await openService(t)
  const page = await (await newPerson(t, await startChromium())).newPage()
  await page.goto(`${url}/login`)
  const allowed = await page.evaluate<string[]>('document.featurePolicy.allowedFeatures()')
  for (const feature of ['publickey-credentials-create', 'publickey-credentials-get']) {
    t.ok(allowed.includes(feature), feature)
  }
  const sensors = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'display-capture', 'clipboard-read']
  for (const feature of sensors) t.notOk(allowed.includes(feature), feature)
})
