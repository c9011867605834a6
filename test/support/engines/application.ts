import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import * as client from 'openid-client'
import type { Test } from 'tap'
import { escapeHtml } from '../../../src/site/html.ts'

interface Registration { id: string, secret?: string }

const HOST = '127.0.0.1'
const LINKS = [
  '/sign-in', '/sign-in?prompt=none', '/sign-in?response_mode=form_post', '/form', '/sign-out', '/sign-out?hint=yes',
]

const page = (content: string) => `<!doctype html><title>Application</title><link rel="icon" href="data:,">${content}`

const homePage = (shown: string) =>
  page(`<p id="shown">${escapeHtml(shown)}</p>${LINKS.map(path => `<p><a href="${path}">${path}</a></p>`).join('')}`)

function formPage ({ origin, pathname, searchParams }: URL): string {
  const fields = [...searchParams].map(([name, value]) =>
    `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
  return page(`<form method="post" action="${origin}${pathname}">${fields.join('')}<button>Sign in</button></form>`)
}

/**
 * An application for one visitor, on another site than the service. Its links pass their parameters on to the provider:
 * `/sign-in?prompt=none`. `/form` sends them with a form instead.
 */
export async function startApplication (t: Test, issuer: string) {
  let relyingParty: client.Configuration
  let checks = { pkceCodeVerifier: '', expectedState: '' }
  let tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>> | undefined
  let shown = 'Not signed in'

  async function begin (parameters: URLSearchParams): Promise<URL> {
    checks = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedState: client.randomState() }
    return client.buildAuthorizationUrl(relyingParty, {
      redirect_uri: `${url}/callback`,
      scope: 'openid profile',
      state: checks.expectedState,
      code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...Object.fromEntries(parameters),
    })
  }

  async function finish (answer: URL | Request) {
    try {
      tokens = await client.authorizationCodeGrant(relyingParty, answer, checks)
      shown = `Signed in as ${tokens.claims()?.preferred_username}, ${tokens.claims()?.acr}`
    } catch (error) {
      shown = `Refused: ${(error as { error?: string }).error ?? String(error)}`
    }
  }

  const server = createServer(async (request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '', url)
    const redirect = (address: string | URL) => response.writeHead(303, { location: String(address) }).end()
    const show = (html: string) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
    if (pathname === '/') return show(homePage(shown))
    if (pathname === '/sign-in') return redirect(await begin(searchParams))
    if (pathname === '/form') return show(formPage(await begin(searchParams)))
    if (pathname === '/sign-out') {
      const parameters = { post_logout_redirect_uri: `${url}/signed-out`, state: checks.expectedState }
      const hint = searchParams.has('hint') && tokens?.id_token
      return redirect(client.buildEndSessionUrl(relyingParty, { ...parameters, ...hint && { id_token_hint: hint } }))
    }
    if (pathname === '/signed-out') shown = `Signed out, ${searchParams.get('state') === checks.expectedState}`
    if (pathname === '/callback') {
      const body = request.method === 'POST' ? await text(request) : undefined
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      await finish(body === undefined
        ? new URL(url + pathname + search)
        : new Request(url + pathname, { method: 'POST', body, headers }))
    }
    return redirect('/')
  })
  await once(server.listen(0, HOST), 'listening')
  const url = `http://${HOST}:${(server.address() as AddressInfo).port}`
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })

  return {
    url,
    /** Signs users in as this application of the service from now on. */
    async use ({ id, secret }: Registration) {
      relyingParty = await client.discovery(new URL(issuer), id, undefined, client.ClientSecretBasic(secret ?? ''), {
        execute: [client.allowInsecureRequests],
      })
    },
    /** As if its own session had ended. */
    forget () {
      shown = 'Not signed in'
    },
  }
}
