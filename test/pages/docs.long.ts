import type { Page } from 'playwright-core'
import t from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violations } from '../support/pages/axe.ts'

/** What axe finds in the markup of Swagger UI itself, which a style sheet cannot change. */
const LIBRARY = /^\w+ (heading-order|label|nested-interactive|region|select-name): /
/** One of each kind of part. */
const PARTS = ['.info', '.scheme-container', '#operations-Sign-in-login', '#operations-Account-deleteAccount']

async function openDocs (person: Awaited<ReturnType<typeof newPerson>>, url: string): Promise<Page> {
  const page = await person.newPage()
  await page.goto(`${url}/docs#/Sign-in/login`)
  await page.locator('#operations-Sign-in-login tr[data-code="429"] .microlight').waitFor()
  return page
}

const ownViolations = async (page: Page) =>
  (await violations(page, PARTS)).filter(violation => !LIBRARY.test(violation))

/** Sends the request of an operation as the page offers it, and waits for the status that the page shows. */
async function tryOut (page: Page, operation: string, body?: object): Promise<string> {
  const block = page.locator(`#operations-${operation}`)
  if (!await block.locator('.opblock-body').isVisible()) await block.locator('.opblock-summary-control').click()
  if (body) await block.locator('textarea').fill(JSON.stringify(body))
  // Otherwise the page shows the last response until the new one comes.
  const clear = block.getByRole('button', { name: 'Clear' })
  if (await clear.isVisible()) await clear.click()
  await block.getByRole('button', { name: 'Execute' }).click()
  return block.locator('.live-responses-table .response-col_status').last().innerText()
}

t.test('/docs, on a small phone', { skip: withoutChromium }, async t => {
  const { url, owner } = await openService(t)
  const { username } = await createUser(owner)
  const phone = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }
  const person = await newPerson(t, await startChromium(), { ...phone, reducedMotion: 'reduce' })
  person.expect('401 /api/auth/me')
  const foreign: string[] = []
  person.context.on('request', request => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) foreign.push(request.url())
  })
  const page = await openDocs(person, url)

  await t.test('axe, light and dark', async t => {
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, 'nothing is cut off')
    t.strictSame(await ownViolations(page), [], 'light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html.dark-mode').waitFor()
    t.strictSame(await ownViolations(page), [], 'dark')
  })

  await t.test('a request can be executed', async t => {
    t.match(await tryOut(page, 'Session-me'), '401')
    t.match(await tryOut(page, 'Sign-in-login', { username, password: PASSWORD }), '200')
    t.match(await tryOut(page, 'Session-me'), '200')
    t.match(await page.locator('#operations-Session-me .live-responses-table').innerText(), username)
    t.strictSame(foreign, [], 'no request to another host')
  })
})
