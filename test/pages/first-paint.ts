// npx node test/pages/first-paint.ts: the time to the first contentful paint on a slow connection.
// The figures are in docs/templates.md.
import t from 'tap'
import { newPerson, openService, startChromium } from '../support/chromium.ts'

/** As "Slow 3G" of Chromium's developer tools: 400 kbit/s in each direction, and 2 seconds for each round trip. */
const SLOW_3G = { offline: false, latency: 2_000, downloadThroughput: 50_000, uploadThroughput: 50_000 }
/** As Lighthouse has it for a slow phone network. */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 }

t.setTimeout(300_000)
t.test('first paint', { timeout: 300_000 }, async t => {
  const { url } = await openService(t)
  const browser = await startChromium()
  for (const [network, conditions] of Object.entries({ SLOW_3G, SLOW_4G })) {
    for (const path of ['/login', '/register']) {
      const times: number[] = []
      for (let visit = 0; visit < 5; visit++) {
        const { context, newPage } = await newPerson(t, browser)
        const page = await newPage()
        const cdp = await context.newCDPSession(page)
        await cdp.send('Network.enable')
        await cdp.send('Network.emulateNetworkConditions', conditions)
        await page.goto(`${url}${path}`, { timeout: 60_000 })
        times.push(await page.evaluate<number>(
          "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        ))
        await context.close()
      }
      const [, , median = 0] = times.sort((a, b) => a - b)
      t.comment(`${network} ${path}: ${(median / 1_000).toFixed(1)} s (median of ${times.length})`)
    }
  }
})
