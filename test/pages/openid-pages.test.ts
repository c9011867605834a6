import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { LANGUAGE_NAMES } from '../../src/site/language.ts'
import { ASKED, ASKED_AT_LENGTH, OPENID_PAGES, serveInteraction } from '../support/pages/interaction.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { buildShared } from '../support/build.ts'

const HOSTILE = '"><script>alert(1)</script>'
const CODES = ['invalid_client', 'invalid_redirect_uri', 'invalid_request', 'expired', 'unsupported', 'unavailable']

t.test('pages for sign-out and errors: everything is escaped, in each language', async t => {
  const { app: { pages: { openid } } } = await buildShared(t)
  for (const language of LANGUAGE_NAMES) {
    for (const html of [
      openid.logout(language, { action: `/x${HOSTILE}`, xsrf: HOSTILE, application: HOSTILE }),
      openid.signedOut(language, { application: HOSTILE }),
      openid.error(language, { code: 'invalid_request', description: HOSTILE }),
      openid.error(language, { code: HOSTILE }),
    ]) {
      t.notMatch(html, '<script')
      t.match(html, '&quot;&gt;&lt;script&gt;')
      t.match(html, `<html lang="${language}"`)
    }
    const leads = CODES.map(code => openid.error(language, { code }).match(/<h1>(.+)<\/h1>/)?.[1])
    t.equal(new Set(leads).size, CODES.length, 'each code has a sentence of its own')
  }
})

t.test('pages for errors: other codes get the sentence of their kind, and keep their code', async t => {
  const { app: { pages: { openid } } } = await buildShared(t)
  const titleOf = (code: string) => openid.error('en', { code }).match(/<h1>(.+)<\/h1>/)?.[1]
  for (const [code, known] of [
    ['unauthorized_client', 'invalid_client'],
    ['redirect_uri_mismatch', 'invalid_redirect_uri'],
    ['unsupported_response_type', 'unsupported'],
    ['registration_not_supported', 'unsupported'],
    ['server_error', 'unavailable'],
    ['temporarily_unavailable', 'unavailable'],
    ['operator', 'invalid_request'],
    ['constructor', 'invalid_request'],
  ] as const) {
    t.equal(titleOf(code), titleOf(known), code)
    t.match(openid.error('en', { code, description: 'why' }), `For the operator: <code dir="ltr">${code}: why</code>`)
  }
  for (const code of CODES) {
    t.equal(openid.error('en', { code }).includes('Try again</a>'), code === 'unavailable', code)
  }
})

t.test('page of a device: names the other one in the language of the user', async t => {
  const { app: { pages: { openid } } } = await buildShared(t)
  const asked = { xsrf: 'x', code: 'WDJB-MJHT', application: 'Photos', scopes: [], resources: [], forOperators: false }
  const html = openid.deviceConfirm('de', { ...asked, address: '198.51.100.23', agent: 'Safari on iOS' })
  t.match(html, '<bdi dir="ltr">Safari unter iOS</bdi> (<bdi>198.51.100.23</bdi>)')
  t.match(html, /anzeigt:<\/p>\s*<p class="[^"]+" dir="ltr">WDJB-MJHT</, 'the code follows the sentence about it')
  const arabic = openid.deviceConfirm('ar', { ...asked, address: '198.51.100.23', agent: 'Safari on iOS' })
  t.match(arabic, '<bdi dir="rtl">Safari على iOS</bdi>', 'in the order of the sentence, not of its first letter')
  const { resources } = ASKED
  const prints = openid.deviceConfirm('en', { ...asked, resources, address: '198.51.100.23', agent: 'Safari on iOS' })
  t.notMatch(prints, 'It gets', 'no list without entries')
  t.match(prints, /It can use<[^]+>Prints of your photos<[^]+<li>See what you have ordered<[^]+<li>Order prints and/)
})

t.test('the pages of the OpenID provider in a browser', { skip: withoutChromium }, async t => {
  let state = {} as ReturnType<typeof serveInteraction>
  const service = await openService(t, {}, { before (app) { state = serveInteraction(app) } })
  const { url, owner } = service
  const browser = await startChromium()
  const { username } = await createUser(owner)

  await t.test('the question of an application is answered without scripts, and redirects lead on', async t => {
    // An application on another host, which redirects once more.
    const application = createServer(({ url }, response) => {
      if (url === '/end') return response.end('bye')
      response.writeHead(302, { location: '/end' }).end()
    })
    application.listen(0, '127.0.0.1')
    await once(application, 'listening')
    t.teardown(() => application.close())
    const { port } = application.address() as AddressInfo
    state.after = `http://provider.example:${port}/signed-out`

    const person = await newPerson(t, browser, { javaScriptEnabled: false })
    const page = await person.newPage()
    await page.goto(`${url}/oidc/page/logout?action=/oidc/answered&xsrf=secret-value&application=Photo%20Album`)
    t.match(await page.locator('main').innerText(), /Photo Album asks you to sign out in this browser\./)
    t.equal(await page.getByRole('link', { name: 'Stay signed in' }).getAttribute('href'), '/dashboard')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('bye').waitFor()
    t.strictSame(state.forms, [{ xsrf: 'secret-value', logout: 'yes' }])
  })

  await t.test('axe finds nothing, light and dark; nothing is cut off', async t => {
    const person = await newPerson(t, browser, { reducedMotion: 'reduce' })
    await person.signIn(service, username)
    const page = await person.newPage()
    state.current = ASKED_AT_LENGTH
    for (const path of OPENID_PAGES) {
      await t.test(path, async t => {
        await page.goto(url + path)
        if (path.includes('interaction')) await page.locator('#request').waitFor()
        await checkLooks(t, page)
      })
    }
  })
})
