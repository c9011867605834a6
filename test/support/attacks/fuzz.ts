import { once } from 'node:events'
import { Agent, request as openRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type pg from 'pg'
import type { OpenApi } from '../../../src/site/openapi.ts'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../browser.ts'
import { createContract, type Answer, type DocumentedOperation } from '../contract.ts'
import { build } from '../build.ts'
import { repeatRefused } from '../repeat-refused.ts'
import { anyRequest, type FuzzRequest } from './fuzz-requests.ts'
import { CANARY } from './hostile-strings.ts'

/** A failure prints both: `FUZZ_SEED=… FUZZ_PATH=… npm test -- test/attacks/fuzz.test.ts` repeats it. */
const { FUZZ_SEED, FUZZ_PATH } = process.env
/** No server listens there. */
const PROVIDERS_ON = {
  PROVIDER_A_CLIENT_ID: 'x',
  PROVIDER_A_CLIENT_SECRET: 'x',
  PROVIDER_A_TOKEN_URL: 'http://127.0.0.1:1/',
  PROVIDER_B_CLIENT_ID: 'x',
  PROVIDER_B_CLIENT_SECRET: 'x',
  PROVIDER_B_TOKEN_URL: 'http://127.0.0.1:1/',
}

/** Over HTTP, on one persistent connection. Sends again what is refused (503), as on a busy machine. */
function createClient (t: Test, port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())

  async function sendOnce (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string
  ): Promise<Answer> {
    // Set explicitly: Node sends the body of a GET without a length.
    const length = body === undefined ? {} : { 'content-length': body.length }
    const request = openRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...headers, ...length },
      agent,
    })
    request.end(body === undefined ? undefined : Buffer.from(body, 'latin1'))
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return { statusCode: answer.statusCode as number, headers: answer.headers, body: await readBody(answer) }
  }

  return (...request: Parameters<typeof sendOnce>) => repeatRefused(() => sendOnce(...request))
}

async function readBody (answer: IncomingMessage): Promise<string> {
  const body = await buffer(answer)
  const isCompressed = answer.headers['content-encoding'] === 'gzip' && body.length > 0
  return (isCompressed ? gunzipSync(body) : body).toString()
}

/** A signed-in user with a CSRF token. A new user when the session may have ended. */
function createSomebody (app: FastifyInstance, owner: pg.Pool) {
  let current: { browser: Browser, csrfToken: string } | undefined

  return {
    changed () {
      current = undefined
    },

    async get () {
      if (current) return current
      const { username } = await createUser(owner)
      const browser = createBrowser(app)
      await browser.signIn(username)
      for (const provider of ['a', 'b']) await browser.get(`/api/auth/provider-${provider}`)
      current = { browser, csrfToken: (await browser.get('/api/csrf-token')).json().csrfToken }
      return current
    },
  }
}

type Somebody = Awaited<ReturnType<ReturnType<typeof createSomebody>['get']>>

function cookiesOf ({ session, csrf }: FuzzRequest, { browser: { cookies } }: Somebody): string {
  const [access, refresh] = [cookies.get('access_token') ?? '', cookies.get('refresh_token') ?? '']
  const tokens = {
    nobody: [],
    somebody: [
      `access_token=${access}`,
      `refresh_token=${refresh}`,
      ...[...cookies]
        .filter(([name]) => name.startsWith('provider_'))
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    ],
    swapped: [`access_token=${refresh}`, `refresh_token=${access}`],
    doubled: [`access_token=${access}`, 'access_token=x', `refresh_token=${refresh}`, 'refresh_token='],
    garbage: [
      `access_token=${access.slice(0, -2)}${CANARY}`,
      `refresh_token=%00%ff${CANARY}`,
      '=',
      ';;',
      'device=x.y',
      '__proto__=x',
      `provider_a_state=${CANARY}`,
    ],
  }[session]
  return [...tokens, ...(csrf ? [`_csrf=${encodeURIComponent(cookies.get('_csrf') ?? '')}`] : [])].join('; ')
}

/** Sends valid to hostile requests to every route of the document and checks each response against it. */
export async function fuzz (t: Test, numRuns: number) {
  const seed = Number(FUZZ_SEED ?? Date.now() % 2 ** 31)
  t.comment(`FUZZ_SEED=${seed}`)
  const { app, log, owner } = await build(t, {
    settings: { ...NO_LIMITS, ...PROVIDERS_ON, TOKEN_AUDIENCES: 'orders' },
  })
  await createUser(owner, { username: 'fuzz-known' })
  await owner.query("INSERT INTO content (slug, title, body, published_at) VALUES ('first', 'First', 'Words', now())")
  await app.listen({ port: 0, host: '127.0.0.1' })
  const send = createClient(t, (app.server.address() as AddressInfo).port)
  const somebody = createSomebody(app, owner)
  const { operations, operationAt, problems, problemsOfRefusal } = createContract(
    JSON.parse((await send('GET', '/openapi.json', {})).body) as OpenApi,
    { pages: true }
  )
  const seen = new Map<string, number>()

  /** The security headers of the specification; a cacheable response has or documents its own Cache-Control. */
  function problemsOfSecurity ({ method, path }: FuzzRequest, { headers, statusCode }: Answer): string[] {
    const { responses } = operationAt(method === 'HEAD' ? 'GET' : method, path) ?? {}
    const isCacheable = headers.etag || responses?.[statusCode]?.headers?.['cache-control']
    // Scripts and style sheets have the permissions of their page.
    const isPart = /^text\/(javascript|css)/.test(String(headers['content-type']))
    return Object.entries(app.securityHeaders).flatMap(([name, value]) => {
      const isOther = (name === 'cache-control' && isCacheable) || (name === 'permissions-policy' && isPart)
      return headers[name] === value || isOther ? [] : [`${name} is ${headers[name]}`]
    })
  }

  function problemsOfAnswer (
    { method, path }: FuzzRequest,
    operation: DocumentedOperation | undefined,
    answer: Answer
  ): string[] {
    if (answer.statusCode >= 500) return [`it failed: ${answer.body}`]
    if (method === 'HEAD') return answer.body === '' ? [] : ['HEAD has a body']
    if (operation) return problems(operation, answer)
    if (path.startsWith('/gatehouse/') && [200, 304].includes(answer.statusCode)) return []
    return answer.statusCode >= 400
      ? problemsOfRefusal(answer)
      : [`undocumented, but the response is ${answer.statusCode}`]
  }

  async function check (request: FuzzRequest) {
    const { method, path } = request
    const who = await somebody.get()
    const headers = {
      ...(request.csrf && { 'x-csrf-token': who.csrfToken }),
      cookie: cookiesOf(request, who),
      ...request.headers,
    }
    const answer = await send(method, path, headers, request.body)
    if (!['GET', 'HEAD'].includes(method) && answer.statusCode < 300) somebody.changed()
    // The proof of a device is the same with these methods.
    const isProof = /^\/api\/auth\/device\/proof(\?|$)/.test(path) && /^(GET|PUT|PATCH|DELETE)$/.test(method)
    const operation = operationAt(isProof ? 'POST' : method, path)
    const outcome = `${operation?.operationId ?? method} ${answer.statusCode}`
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
    const found = [...problemsOfAnswer(request, operation, answer), ...problemsOfSecurity(request, answer)]
    if (found.length > 0) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${found.join('; ')}`)
  }

  const start = performance.now()
  await fc.assert(fc.asyncProperty(anyRequest(operations), check), { numRuns, seed, path: FUZZ_PATH })
  t.comment(`${numRuns} requests in ${Math.round((performance.now() - start) / 1_000)} s`)
  t.comment(
    [...seen]
      .sort()
      .map(([outcome, count]) => `${outcome}: ${count}`)
      .join(', ')
  )

  t.match(JSON.parse((await send('GET', '/health', {})).body), { status: 'healthy' })
  t.strictSame(log.errors, [], 'no error in the log')
  return { seen, operations }
}
