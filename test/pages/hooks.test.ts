import t from 'tap'
import { startApplication } from '../support/application.ts'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violations } from '../support/pages/axe.ts'
import { addTotp } from '../support/second-factor.ts'

const MESSAGE = 'Your <b>subscription</b> has ended & your "plan" too.'

t.test('pages: what the application says is shown as text', { skip: withoutChromium }, async t => {
  const application = await startApplication(t)
  const { url, owner } = await openService(t, application.settings())
  const browser = await startChromium()

  async function arrive (path: string, ...expected: string[]) {
    const person = await newPerson(t, browser, { reducedMotion: 'reduce' })
    person.expect(...expected)
    const page = await person.newPage()
    await page.goto(url + path)
    return page
  }

  await t.test('/login, and the second step', async t => {
    const page = await arrive('/login', '403 /login', '403 /login/second-factor')
    application.reset({ allow: false, message: MESSAGE })
    const [user, protectedUser] = [await createUser(owner), await createUser(owner)]
    const { freshCode } = await addTotp(owner, protectedUser.id)
    await page.fill('#username', user.username)
    await page.fill('#password', PASSWORD)
    await page.click('#login [type=submit]')
    const notice = page.locator('#login [role=alert]:not(:empty)')
    t.equal(await notice.innerText(), MESSAGE)
    t.strictSame(await violations(page), [])

    await page.fill('#username', protectedUser.username)
    await page.click('#login [type=submit]')
    await page.fill('#code', await freshCode())
    await page.click('#second-submit')
    t.equal(await page.locator('#arrival:not(:empty)').innerText(), MESSAGE, 'the sign-in begins again')
    t.ok(await page.locator('#password').isVisible())
  })

  await t.test('/register: its message, or ours in the language of the page', async t => {
    application.reset({ allow: false, message: MESSAGE })
    const page = await arrive('/register?language=de', '403 /register')
    await page.fill('#username', 'grace')
    await page.fill('#email', 'grace@example.org')
    await page.fill('#new-password', PASSWORD)
    await page.click('#register [type=submit]')
    const notice = page.locator('#register [role=alert]:not(:empty)')
    t.equal(await notice.innerText(), MESSAGE)
    application.reset({ allow: false })
    await page.click('#register [type=submit]')
    await notice.filter({ hasText: 'Die Anwendung erlaubt das nicht.' }).waitFor()
    t.equal(application.asked[0]?.data.language, 'de')
  })

  await t.test('after a provider', async t => {
    application.reset({ allow: false, message: MESSAGE })
    const page = await arrive('/login', '403 /api/auth/provider-a/callback')
    await page.click('a[href^="/api/auth/provider-a"]')
    await page.click('button[value=continue]')
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor()
    t.equal(await page.locator('.lead').innerText(), MESSAGE)
    t.strictSame(await violations(page), [])
  })
})
