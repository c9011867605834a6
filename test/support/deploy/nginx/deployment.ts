import { readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Test } from 'tap'
import { freePort } from '../../../../demo/free-port.ts'
import { startWebSocketApp } from '../apps.ts'
import { startFrontEnd } from '../front-end.ts'
import { productionSettings, startInstances } from '../instances.ts'

export const DOMAIN = 'two.localhost'
const [, APP_HOST = ''] =
  readFileSync('docs/deploy.md', 'utf8').match(/```nginx\n(server \{[^`]*app-host\.conf[^`]*)```/) ?? []

/** The page of the app on its own host uses the client of Gatehouse. */
const pageFor = ({ headers }: IncomingMessage, auth: string, app: string) => `<!doctype html>
  <title>App</title><h1>Hello ${headers['x-auth-username']}</h1>
  <script type="module">
    import { createClient } from '${auth}/gatehouse/client.js'
    window.client = createClient({ url: '${auth}' })
  </script>
  <form method="post" action="${auth}/logout">
    <input type="hidden" name="next" value="${app}/public">
    <button>Sign out</button>
  </form>`

/** Responds with the headers that it got. /live is for WebSockets alone. */
const createApp = (auth: string, app: string): RequestListener => (asked, answer) => {
  const { url = '', headers } = asked
  if (url === '/live') return answer.writeHead(426).end()
  const isPage = headers.host === new URL(app).host && !url.startsWith('/api/')
  answer.setHeader('content-type', isPage ? 'text/html' : 'application/json')
  answer.end(isPage ? pageFor(asked, auth, app) : JSON.stringify(headers))
}

/** One nginx with two instances, and an app that is under /app/ and also has a host of its own. */
export async function startDeployment (t: Test) {
  const httpsPort = await freePort()
  const [auth, app] = [`https://auth.${DOMAIN}:${httpsPort}`, `https://app.${DOMAIN}:${httpsPort}`]
  const { owner, smtp, settings } = await productionSettings(t)
  const { ports } = await startInstances(t, {
    ...settings, PUBLIC_URL: auth, COOKIE_DOMAIN: DOMAIN, APP_ORIGINS: app, TOKEN_CLAIMS: 'roles',
  })
  const behind = { instances: ports, app: await startWebSocketApp(t, createApp(auth, app)) }
  const appHost = APP_HOST.replaceAll('app.example.com', `app.${DOMAIN}`)
  const frontEnd = await startFrontEnd(t, { ...behind, httpsPort, appHost })
  return {
    owner,
    smtp,
    frontEnd,
    auth,
    app,
    /** For another front end with the same instances. */
    behind,
    /** Without what only this deployment has. */
    settings,
  }
}

export type Deployment = Awaited<ReturnType<typeof startDeployment>>
