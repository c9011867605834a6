import t from 'tap'
import { createUser } from '../support/browser.ts'
import { startProvider } from '../support/openid/provider.ts'

t.test('GET /oidc/logout with the mark of a repeated navigation does not remove the cookies', async t => {
  const { browse, owner } = await startProvider(t)
  const user = await createUser(owner)
  const browser = browse()
  await browser.signIn(user.username)
  const kept = new Map(browser.cookies)
  for (const headers of [{ 'sec-fetch-mode': 'navigate' }, { 'sec-fetch-mode': 'no-cors' }]) {
    // As a browser sends it from another site: without the Strict cookies.
    browser.cookies.clear()
    const answer = await browser.send('GET', '/oidc/logout?same_site=1', undefined, headers)
    t.match(answer, { statusCode: 303, headers: { location: '/oidc/logout/success' } })
    t.strictSame(answer.cookies.filter(({ name }) => name.endsWith('_token')), [])
  }
  for (const [name, value] of kept) browser.cookies.set(name, value)
  t.equal((await browser.get('/api/auth/me')).statusCode, 200)
})
