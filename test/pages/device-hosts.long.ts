// An app on another host of the domain refreshes the session of the user, in the whole Chromium and in production mode.
import t from 'tap'
import { withoutFullChromium } from '../support/chromium.ts'
import { APP_HOST, openBoundService, PROOF } from '../support/devices/bound-service.ts'

t.test('an app on another host: the browser proves its key for it', { skip: withoutFullChromium }, async t => {
  const service = await openBoundService(t, port => ({
    NODE_ENV: 'production',
    COOKIE_DOMAIN: 'example.com',
    APP_ORIGINS: `https://${APP_HOST}:${port}`,
    REDIS_URL: 'redis://127.0.0.1:1',
    // Its provider has no TLS, which production requires.
    PROVIDER_A_CLIENT_ID: '',
  }))
  const { front, alarms } = service
  const { user, browser } = await service.signedIn(t)
  const names = (await browser.cookies()).map(({ name }) => name)
  t.ok(names.includes('__Host-device_key'), 'which no other host of the domain can set')

  await browser.page.goto(`https://${APP_HOST}:${front.port}/`)
  const refresh = () => browser.run(`
    return (await fetch('${front.url}/api/auth/refresh', { method: 'POST', credentials: 'include' })).status`)
  t.equal(await refresh(), 200)
  t.equal(await refresh(), 200)
  t.equal(front.of(PROOF).filter(({ status }) => status === 200).length, 2)
  t.match(browser.verdicts.at(-1), { succeeded: true, refreshEventDetails: { refreshResult: 'Refreshed' } })
  t.equal(await alarms(user.id), 0)
})
