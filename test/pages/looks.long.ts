import t from 'tap'
import type { Page } from 'playwright-core'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'

/** Adds up all layout shifts, also those that follow an input at once, which the metric of the web leaves out. */
const watchShifts = (page: Page) => page.evaluate(`
  window.shifted = 0
  new PerformanceObserver(list => {
    for (const { value } of list.getEntries()) window.shifted += value
  }).observe({ type: 'layout-shift' })`)
const shiftsOf = (page: Page) =>
  page.evaluate<number>('new Promise(done => setTimeout(() => done(window.shifted), 200))')

t.test('looks', { skip: withoutChromium }, async t => {
  const house = await openService(t)
  const { url, owner } = house
  const browser = await startChromium()
  const user = await createUser(owner)

  await t.test('password managers: what each field is for', async t => {
    const person = await newPerson(t, browser)
    await person.signIn(house, user.username)
    const page = await person.newPage()
    const fieldsOf = () => page.locator('input[type=password]').evaluateAll(inputs => inputs.map(input => {
      const form = input.closest('form')
      return {
        id: input.id,
        kind: input.getAttribute('autocomplete'),
        hasRules: input.hasAttribute('passwordrules'),
        hasName: Boolean(form?.querySelector('input[autocomplete~=username]')),
      }
    }))
    const current = { kind: 'current-password', hasRules: false, hasName: true }
    const changed = { id: 'new-password', kind: 'new-password', hasRules: true, hasName: true }
    await page.goto(`${url}/dashboard`)
    // Its requests must not be left without cookies.
    await page.locator('#account').waitFor()
    t.strictSame(await fieldsOf(), [
      { id: 'current', ...current },
      changed,
      { id: 'delete-password', ...current },
      { id: 'confirm-password', ...current },
    ])
    await page.goto('about:blank')
    await person.context.clearCookies()
    await page.goto(`${url}/login`)
    t.strictSame(await fieldsOf(), [{ id: 'password', ...current }])
    await page.goto(`${url}/register`)
    t.strictSame(await fieldsOf(), [changed])
    await page.goto(`${url}/reset-password`)
    t.strictSame(await fieldsOf(), [{ ...changed, hasName: false }], 'the link alone does not say whose password it is')
  })

  for (const viewport of [{ width: 390, height: 844 }, { width: 1280, height: 800 }]) {
    await t.test(`messages hardly move the page, ${viewport.width} pixels wide`, async t => {
      const person = await newPerson(t, browser, { viewport })
      person.expect('401 /login', '422 /register')
      const page = await person.newPage()
      await page.goto(`${url}/login`)
      await page.locator('#login [type=submit]:enabled').waitFor()
      await watchShifts(page)
      await page.click('#login [type=submit]')
      await page.locator('#password-complaint').waitFor()
      await page.fill('#username', user.username)
      await page.fill('#password', 'not it')
      const brand = await page.locator('.brand').boundingBox()
      await page.click('#login [type=submit]')
      await page.locator('#login [role=alert]:not(:empty)').waitFor()
      const shifted = await shiftsOf(page)
      t.ok(shifted < 0.1, `the score of /login is good: ${shifted}`)
      t.strictSame(await page.locator('.brand').boundingBox(), brand, 'what is above the message stays')

      await page.goto(`${url}/register`)
      await page.locator('#register [type=submit]:enabled').waitFor()
      await page.fill('#username', 'newcomer')
      await page.fill('#email', 'newcomer@example.com')
      await watchShifts(page)
      await page.fill('#new-password', 'password')
      await page.locator('#strength[data-score="0"]').waitFor()
      await page.click('#register [type=submit]')
      await page.locator('#new-password-complaint').waitFor()
      const rules = await page.locator('#password-hint').boundingBox()
      const complaint = await page.locator('#new-password-complaint').boundingBox()
      t.ok(complaint && rules && complaint.y < rules.y, 'the message is above the hint that it mentions')
      await page.fill('#new-password', PASSWORD)
      await page.locator('#strength[data-score="4"]').waitFor()
      const moved = await shiftsOf(page)
      t.ok(moved < 0.1, `the score of /register is good: ${moved}`)
    })
  }

  await t.test('a button is as wide while it is busy', async t => {
    const page = await (await newPerson(t, browser)).newPage()
    await page.goto(`${url}/login`)
    const button = page.locator('#login [type=submit]')
    // Those of a row are as wide as their label.
    await button.evaluate(({ style }) => { style.width = 'auto' })
    const before = await button.boundingBox()
    await button.evaluate(button => button.setAttribute('aria-busy', 'true'))
    t.strictSame(await button.boundingBox(), before)
  })

  await t.test('forced colours: focus, buttons and strength are visible', async t => {
    const person = await newPerson(t, browser, { forcedColors: 'active', reducedMotion: 'reduce' })
    const page = await person.newPage()
    await page.goto(`${url}/register`)
    await page.fill('#new-password', 'Password1!')
    await page.locator('#strength[data-score="0"], #strength[data-score="1"]').waitFor()
    const styles = await page.evaluate(() => {
      const style = (selector: string, pseudo?: string) =>
        getComputedStyle(document.querySelector(selector) as Element, pseudo)
      const page = style('body').backgroundColor
      const [weak, unused] = [...document.querySelectorAll('.strength i')].map(bar => getComputedStyle(bar))
      return {
        focusRing: style('#new-password').outlineStyle,
        button: style('#register [type=submit]').borderTopStyle,
        barsDiffer: weak?.backgroundColor !== unused?.backgroundColor,
        barsAreSeen: weak?.backgroundColor !== page && unused?.backgroundColor !== page,
      }
    })
    t.strictSame(styles, {
      focusRing: 'solid', button: 'solid', barsDiffer: true, barsAreSeen: true,
    })
  })

  await t.test('reduced motion: nothing moves or fades', async t => {
    const person = await newPerson(t, browser, { reducedMotion: 'reduce' })
    const page = await person.newPage()
    await page.goto(`${url}/register`)
    const moving = await page.evaluate(() => [...document.querySelectorAll('*')]
      .filter(element => parseFloat(getComputedStyle(element).transitionDuration) > 0)
      .map(element => element.tagName))
    t.strictSame(moving, [])
    await page.fill('#new-password', 'Password1!')
    await page.evaluate("document.querySelector('[type=submit]').setAttribute('aria-busy', 'true')")
    const turn = await page.evaluate(() =>
      getComputedStyle(document.querySelector('[type=submit]') as Element, '::after').animationDuration)
    t.equal(turn, '4s', 'the sign of progress turns slowly')
  })
})
