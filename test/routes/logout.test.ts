import t from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { buildShared } from '../support/build.ts'
import { APP, LAYOUTS, TWO_HOSTS } from '../support/two-hosts.ts'

/** What a browser sends when a form of a page is submitted. */
const FORM = {
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
}

for (const [layout, settings] of LAYOUTS) {
  t.test(`POST /logout: ends only this session, ${layout} (204)`, async t => {
    const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
    const user = await createUser(owner)
    const [here, there] = [createBrowser(app), createBrowser(app)]
    await here.signIn(user.username)
    await there.signIn(user.username)
    const [name, kept] = [...here.cookies].find(([name]) => name.endsWith('refresh_token')) as [string, string]
    t.equal((await here.post('/logout')).statusCode, 204)
    t.strictSame([...here.cookies.keys()].filter(name => name.endsWith('_token')), [])
    here.cookies.set(name, kept)
    t.equal((await here.refresh()).statusCode, 401)
    t.equal((await there.refresh()).statusCode, 200)
    t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'sign_out'")).rowCount, 1)
  })

  t.test(`POST /logout: not signed in, twice, or without the access token, ${layout} (204)`, async t => {
    const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
    const user = await createUser(owner)
    const browser = createBrowser(app)
    t.equal((await browser.post('/logout')).statusCode, 204)
    await browser.signIn(user.username)
    browser.cookies.delete('access_token')
    t.equal((await browser.post('/logout')).statusCode, 204)
    t.equal((await browser.post('/logout')).statusCode, 204)
    t.strictSame(await app.sessionsStore.live(user.id), [])
  })

  t.test(`POST /logout: with only the access token, ${layout} (204)`, async t => {
    const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
    const user = await createUser(owner)
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    for (const name of ['refresh_token', '__Host-refresh_token']) browser.cookies.delete(name)
    t.equal((await browser.post('/logout')).statusCode, 204)
    t.strictSame(await app.sessionsStore.live(user.id), [])
  })

  t.test(`POST /logout by a form: signs out and opens the next page, ${layout} (303)`, async t => {
    const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
    const user = await createUser(owner)
    const browser = createBrowser(app)
    async function submit (url: string, form: string, headers = FORM) {
      await browser.signIn(user.username)
      const { statusCode, headers: { location } } =
        await browser.send('POST', url, Buffer.from(form), { ...headers, origin: app.config.PUBLIC_URL })
      t.strictSame(await app.sessionsStore.live(user.id), [], `${url} ${form}`)
      return [statusCode, location]
    }
    t.strictSame(await submit('/logout', ''), [303, '/login?reason=signed-out'])
    t.strictSame(await submit('/logout', 'next=%2Fbye%3Fa%3D1'), [303, '/bye?a=1'])
    t.strictSame(await submit('/logout?next=/bye', 'authenticity_token=x'), [303, '/bye'], 'fields of a framework')
    for (const unsafe of ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      t.strictSame(
        await submit('/logout', String(new URLSearchParams({ next: unsafe }))),
        [303, '/login?reason=signed-out'],
        unsafe
      )
    }
  })

  t.test(`POST /logout by a form of another site: the session goes on, ${layout} (403)`, async t => {
    const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
    const user = await createUser(owner)
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    for (const headers of [
      { ...FORM, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { ...FORM, origin: 'https://shop.example.com', 'sec-fetch-site': 'same-site' },
      { ...FORM, origin: 'null', 'sec-fetch-site': 'same-origin' },
    ]) {
      t.equal((await browser.send('POST', '/logout', Buffer.from(''), headers)).statusCode, 403, headers.origin)
    }
    t.equal((await app.sessionsStore.live(user.id)).length, 1)
  })
}

t.test('forms: no other route accepts one (415)', async t => {
  const { app } = await buildShared(t)
  const browser = createBrowser(app)
  const sent = await browser.send('POST', '/login', Buffer.from('username=a&password=b'), {
    'content-type': FORM['content-type'],
  })
  t.equal(sent.statusCode, 415)
})

t.test('POST /logout by a form of an app: signs out and leads back to it, never to a sibling (303)', async t => {
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...TWO_HOSTS } })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  const headers = { ...FORM, origin: APP, 'sec-fetch-site': 'same-site' }
  for (const [next, location] of [
    [`${APP}/bye?a=1#b`, `${APP}/bye?a=1#b`],
    ['https://shop.example.com/', '/login?reason=signed-out'],
    [`${APP}.evil.example/`, '/login?reason=signed-out'],
    [`https://user@${APP.slice(8)}/`, '/login?reason=signed-out'],
  ] as const) {
    await browser.signIn(user.username)
    const answer = await browser.send('POST', '/logout', Buffer.from(`next=${encodeURIComponent(next)}`), headers)
    t.strictSame([answer.statusCode, answer.headers.location], [303, location])
    t.strictSame(await app.sessionsStore.live(user.id), [])
  }
})
