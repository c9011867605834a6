// Navigations to the OpenID provider that another site began.
import t from 'tap'
import { sendRaw } from '../support/attacks/raw-connection.ts'
import { beginSignIn, startProvider } from '../support/openid/provider.ts'

t.test('navigations of other sites', async t => {
  const { addApplication, app, issuer } = await startProvider(t)

  t.test('a request with a complete URL is not repeated at its host', async t => {
    const { port } = new URL(issuer)
    for (const path of ['/oidc/auth', '/oidc/logout', '/oidc/auth/uid']) {
      const lines = [`GET http://evil.example${path}?a=1 HTTP/1.1`, 'Host: x', 'Sec-Fetch-Mode: navigate']
      const { answers: [answer] } = await sendRaw(Number(port), `${lines.join('\r\n')}\r\n\r\n`, 1)
      t.match(answer?.body, `content="0;url=${path}?a=1&amp;same_site=1"`)
    }
  })

  t.test('a question mark in a parameter does not cut off the others', async t => {
    const { url } = await beginSignIn(await addApplication({ redirectUris: ['https://app.example.org/callback?a=1'] }))
    const path = `${url.pathname}${url.search.replace('%3F', '?')}`
    t.match(path, 'callback?a')
    const { body } = await app.inject({ url: path, headers: { 'sec-fetch-mode': 'navigate' } })
    t.match(body, `url=${url.pathname}${url.search.replaceAll('&', '&amp;')}&amp;same_site=1`)
  })
})
