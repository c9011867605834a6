// Malware has copied the cookies of a browser. The copy is tried in another profile of Chromium and without a browser.
import t from 'tap'
import { withoutFullChromium } from '../support/chromium.ts'
import { openBoundBrowser, type BoundBrowser } from '../support/devices/bound-browser.ts'
import { openBoundService, PROOF } from '../support/devices/bound-service.ts'
import { createCookieClient } from '../support/faults/cookie-client.ts'
import { eventually } from '../support/patience.ts'

t.test('a copied cookie jar', { skip: withoutFullChromium }, async t => {
  const service = await openBoundService(t)
  const { front, instances: [{ port }], live, alarms, smtp } = service
  const { user, browser } = await service.signedIn(t)
  const thief = await openBoundBrowser(t, front)
  const own = await service.signedIn(t)

  const jarOf = async ({ cookies }: BoundBrowser) => cookies()
  type Jar = Awaited<ReturnType<typeof jarOf>>

  async function tryIn (browser: BoundBrowser, jar: Jar) {
    await browser.context.clearCookies()
    await browser.context.addCookies(jar)
    await browser.visit()
    return browser.refresh()
  }

  async function tryWithout (jar: Jar) {
    const client = createCookieClient(new Map(jar.map(({ name, value }) => [name, value])))
    return (await client.send(port, { path: '/api/auth/refresh' }))?.status
  }

  /** Refused and recorded in each place. The owner goes on, with the same session and the key. */
  async function isRefused (jar: Jar, what: string) {
    const before = await alarms(user.id)
    t.equal(await tryWithout(jar), 401, `${what}: without a browser`)
    t.equal(await tryIn(thief, jar), 401, `${what}: in another profile`)
    const tokens = jar.filter(({ name }) => name.endsWith('_token'))
    t.equal(await tryIn(own.browser, [...await jarOf(own.browser), ...tokens]), 401, `${what}: with a key of the thief`)
    t.equal(await alarms(user.id), before + 3, 'recorded')
    t.notOk(thief.verdicts.some(({ succeeded }) => succeeded), 'that browser has no key')
  }

  const [session] = await live(user.id)
  const first = await jarOf(browser)
  t.strictSame(first.map(({ name }) => name).sort(), ['access_token', 'device', 'device_key', 'refresh_token'])
  await isRefused(first, 'before a rotation')
  t.equal(await browser.refresh(), 200)
  await isRefused(first, 'during the grace period')
  await isRefused(await jarOf(browser), 'after a rotation')

  const proof = front.of(PROOF).findLast(({ headers, status }) => status === 200 && headers.cookie?.includes(
    first.find(({ name }) => name === 'refresh_token')?.value ?? ''))
  const [, value = ''] = /device_proof=([^;]*)/.exec(String(proof?.answer['set-cookie'])) ?? []
  const template = first.find(({ name }) => name === 'device_key') as Jar[0]
  await isRefused(
    [...await jarOf(browser), { ...template, name: 'device_proof', value }], 'with the proof of another generation')

  t.equal(await browser.refresh(), 200, 'the owner')
  t.match(await live(user.id), [{ id: session.id, device_key: session.device_key }])
  t.notOk(browser.verdicts.some(({ terminationEventDetails }) => terminationEventDetails))
  await eventually(() => smtp.mails, mails => mails.some(({ reader, subject }) =>
    reader === user.email && subject === 'Copied sign-in refused for your Gatehouse account'))
})
