// The whole Chromium with HTTPS in front of the service. What the browser says of its own keys is asserted.
import t, { type Test } from 'tap'
import { PASSWORD } from '../support/browser.ts'
import { withoutFullChromium } from '../support/chromium.ts'
import type { BoundBrowser } from '../support/devices/bound-browser.ts'
import { openBoundService, PROOF, REFRESH, REGISTRATION } from '../support/devices/bound-service.ts'
import { eventually } from '../support/patience.ts'

t.test('a session that is bound to its device', { skip: withoutFullChromium }, async t => {
  const service = await openBoundService(t)
  const { front, live, alarms } = service

  /** The browser used its key, and has not dropped it. */
  async function isProved (t: Test, { verdicts }: BoundBrowser) {
    const last = await eventually(() => verdicts.findLast(({ refreshEventDetails }) => refreshEventDetails), Boolean)
    t.match(last, { succeeded: true, refreshEventDetails: { refreshResult: 'Refreshed', fetchResult: 'Success' } })
    t.notOk(verdicts.some(({ terminationEventDetails }) => terminationEventDetails), 'the key stays')
  }

  await t.test('sign-in, refresh, another page: only the refresh waits for a proof', async t => {
    const { user, browser } = await service.signedIn(t)
    const [before] = await live(user.id)
    t.match(before, { generation: 0, device_key: /^[\w-]{43}$/ })
    t.match(await browser.run('return (await (await fetch("/api/auth/sessions")).json()).sessions'), [{ bound: true }])
    const proofs = front.of(PROOF).length
    t.equal(await browser.send('GET', '/api/auth/me'), 200)
    await browser.visit()
    t.equal(front.of(PROOF).length, proofs)

    t.equal(await browser.refresh(), 200)
    t.equal(await browser.refresh(), 200)
    await isProved(t, browser)
    t.match(await live(user.id), [{ id: before.id, generation: 2, device_key: before.device_key }])
    t.notOk((await browser.cookies()).some(({ name }) => name === 'device_proof'), 'a proof is for one refresh')
    t.equal(await alarms(user.id), 0)
  })

  await t.test('two tabs refresh at once', async t => {
    const { user, browser } = await service.signedIn(t)
    const second = await browser.newPage()
    const refresh = `return (await fetch('${REFRESH}', { method: 'POST' })).status`
    const places = [undefined, second, undefined, second, undefined]
    const statuses = await Promise.all(places.map(place => browser.run(refresh, place)))
    t.strictSame(statuses, [200, 200, 200, 200, 200])
    t.equal(await browser.refresh(), 200)
    await isProved(t, browser)
    t.equal(await alarms(user.id), 0)
  })

  await t.test('the browser is closed and started again', async t => {
    const { user, browser } = await service.signedIn(t)
    await browser.restart()
    t.equal(await browser.refresh(), 200)
    await isProved(t, browser)
    t.equal(await alarms(user.id), 0)
  })

  await t.test('a proof of identity: the new session is bound to the same key', async t => {
    const { user, browser } = await service.signedIn(t)
    const [before] = await live(user.id)
    t.equal(await browser.run(`
      const { createClient } = await import('/gatehouse/client.js')
      return createClient().confirm({ password: '${PASSWORD}' }).then(() => 'confirmed', String)`), 'confirmed')
    const [after] = await live(user.id)
    t.not(after.id, before.id)
    t.equal(after.device_key, before.device_key)
    t.equal(await browser.refresh(), 200)
    await isProved(t, browser)
    t.equal(await alarms(user.id), 0)
  })

  for (const [what, signOut] of [['after a sign-out', true], ['over a live session', false]] as const) {
    await t.test(`a sign-in ${what}: the key of the former session is dropped, the new one is used`, async t => {
      const { user, browser } = await service.signedIn(t)
      const [before] = await live(user.id)
      if (signOut) t.equal(await browser.send('POST', '/logout'), 204)
      await browser.signIn(user.username)
      const [after] = await live(user.id)
      t.not(after.device_key, before.device_key)
      t.equal(await browser.refresh(), 200)
      t.equal(await browser.refresh(), 200)
      const refreshed = browser.verdicts.filter(({ refreshEventDetails: details }) => details)
      t.match(refreshed.at(-1), { succeeded: true, refreshEventDetails: { refreshResult: 'Refreshed' } })
      t.equal(await alarms(user.id), 0)
    })
  }

  await t.test('a sign-in through a provider on another site, after one with a password', async t => {
    const { user, browser } = await service.signedIn(t)
    t.equal(await browser.send('POST', '/logout'), 204)
    const before = browser.verdicts.length
    await browser.page.evaluate("location.assign('/api/auth/provider-a')")
    await browser.page.locator('button[value=continue]').click()
    await browser.page.waitForURL(`${front.url}/dashboard`)
    await eventually(() => browser.verdicts.slice(before), events => events.some(
      ({ creationEventDetails, succeeded }) => succeeded && creationEventDetails))
    t.notMatch(front.of(REGISTRATION).at(-1)?.headers.cookie, /refresh_token/, 'the registration has no Strict cookies')
    const { id } = await browser.run<{ id: string }>('return (await fetch("/api/auth/me")).json()')
    t.not(id, user.id)
    t.match(await live(id), [{ device_key: /./ }])
    t.equal(await browser.refresh(), 200)
    t.equal(await browser.refresh(), 200)
    const proved = browser.verdicts.findLast(({ refreshEventDetails }) => refreshEventDetails)
    t.match(proved, { succeeded: true, refreshEventDetails: { refreshResult: 'Refreshed' } })
    t.equal(await alarms(id), 0)
  })
})
