import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { freshAddress } from './cookie-client.ts'
import type { BrowserSession, Recording } from './browser-session.ts'
import type { Exchange, Operation } from './history.ts'
import { sendRequest, type HttpResponse } from './http-request.ts'
import type { Random } from './random.ts'

const CALLBACK = 'https://app.example.org/callback'

export interface Application { id: string, secret: string }

/** Trusted, so that no page asks the user. */
export async function addApplication (owner: Pool): Promise<Application> {
  const [id, secret] = [randomUUID(), randomBytes(32).toString('base64url')]
  await owner.query(`
    INSERT INTO applications (id, name, kind, redirect_uris, trusted) VALUES ($1, 'Orders', 'web', $2, true)`,
  [id, [CALLBACK]])
  await owner.query('INSERT INTO application_secrets (application_id, digest) VALUES ($1, sha256($2))', [id, secret])
  return { id, secret }
}

/** What the application holds of one sign-in. */
interface SignIn { grant: string, offline: boolean, refreshToken: string, accessToken: string }

/** A token of the history must not be usable: the grant and the generation, without the signature. */
const nameOf = (token: string) => token.split('.').slice(0, 2).join('.')

const redirectOf = ({ headers }: HttpResponse) => new URL(headers.location ?? '/', 'http://gatehouse.test')

/** Where the provider has sent the browser: back with a code or an error, or to the sign-in. */
function readAuthorization (response: HttpResponse): Partial<Exchange> {
  const { pathname, searchParams } = redirectOf(response)
  if (searchParams.has('code')) return { status: 200 }
  if (pathname.startsWith('/oidc/interaction/')) return { status: 401 }
  return { error: searchParams.get('error') ?? undefined }
}

/** An application to which a user signs in with several devices. It keeps every token and goes on after any failure. */
export function createSimulatedApplication (
  { ports, recorder }: Recording,
  random: Random,
  person: string,
  { id, secret }: Application
) {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const signIns: SignIn[] = []
  const former: SignIn[] = []

  async function send (
    what: Operation,
    request: { path: string, method?: string, headers?: Record<string, string>, form?: Record<string, string> },
    { grant, offline }: Pick<SignIn, 'grant' | 'offline'>,
    details: Partial<Exchange> = {}
  ) {
    const { path, method = 'POST', headers = { authorization }, form } = request
    const service = random.between(0, ports.length - 1)
    const address = freshAddress()
    const from = recorder.now()
    const response = await sendRequest({
      port: ports[service] as number,
      method,
      path,
      headers: { ...headers, 'x-forwarded-for': address },
      body: form && new URLSearchParams(form).toString(),
      timeout: random.between(1_500, 8_000),
    })
    const until = recorder.now()
    const body = response?.body.startsWith('{') ? JSON.parse(response.body) : {}
    recorder.write({
      type: 'exchange',
      what,
      from,
      until,
      status: body.active === false ? 401 : response?.status ?? null,
      retryAfter: response?.headers['retry-after'],
      service,
      person,
      address,
      grant,
      offline,
      ...body.refresh_token && { newToken: nameOf(body.refresh_token) },
      ...response && response.status >= 400 && response.status < 500 && { error: body.error ?? 'none' },
      ...details,
    })
    return response?.status === 200 ? body : undefined
  }

  /** With a browser that is signed in. */
  async function signIn (device: BrowserSession) {
    const [grant, verifier] = [randomUUID(), randomBytes(32).toString('base64url')]
    const offline = random.chance(0.4)
    const query = new URLSearchParams({
      client_id: id,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: offline ? 'openid offline_access' : 'openid',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const request = { method: 'GET', path: `/oidc/auth?${query}` }
    const authorized = await device.send('app-authorize', request, { grant, offline }, readAuthorization)
    const code = authorized && redirectOf(authorized).searchParams.get('code')
    if (!code) return
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: CALLBACK }
    for (let attempt = 0; attempt < 2; attempt++) {
      const tokens = await send('app-exchange', { path: '/oidc/token', form }, { grant, offline })
      if (!tokens) continue
      signIns.push({ grant, offline, refreshToken: tokens.refresh_token, accessToken: tokens.access_token })
      return
    }
  }

  async function refresh (signIn: SignIn, details?: Partial<Exchange>) {
    const { refreshToken } = signIn
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
    const tokens = await send('app-refresh', { path: '/oidc/token', form }, signIn,
      { token: nameOf(refreshToken), ...details })
    if (!tokens) return
    former.push({ ...signIn })
    Object.assign(signIn, { refreshToken: tokens.refresh_token, accessToken: tokens.access_token })
  }

  const userinfo = (signIn: SignIn, details?: Partial<Exchange>) =>
    send('app-userinfo', {
      method: 'GET',
      path: '/oidc/userinfo',
      headers: { authorization: `Bearer ${signIn.accessToken}` },
    }, signIn, details)

  const introspect = (signIn: SignIn) =>
    send('app-introspect', { path: '/oidc/introspect', form: { token: signIn.accessToken } }, signIn)

  const any = () => random.pick(signIns)
  const ACTIONS = {
    refresh: { weight: 12, act: () => refresh(any()) },
    'refresh twice at once': {
      weight: 4,
      async act () {
        const signIn = any()
        await Promise.all([refresh(signIn), refresh({ ...signIn })])
      },
    },
    userinfo: { weight: 6, act: () => userinfo(any()) },
    introspect: { weight: 6, act: () => introspect(any()) },
    /** As a thief does, or a restored backup. */
    replay: { weight: 3, act: () => refresh({ ...former.length > 0 ? random.pick(former) : any() }) },
    revoke: {
      weight: 2,
      async act () {
        const signIn = any()
        await send('app-revoke', { path: '/oidc/revoke', form: { token: signIn.refreshToken } }, signIn)
      },
    },
  }
  const WEIGHTS = Object.fromEntries(Object.entries(ACTIONS).map(([name, { weight }]) => [name, weight])) as
    Record<keyof typeof ACTIONS, number>

  return {
    async step (device: BrowserSession) {
      if (device.session() && (signIns.length === 0 || random.chance(0.25))) return signIn(device)
      if (signIns.length > 0) await ACTIONS[random.weighted(WEIGHTS)].act()
    },

    /** At the end: uses everything that it ever got. */
    async audit () {
      for (const signIn of signIns) {
        await userinfo(signIn, { audit: true })
        await refresh(signIn, { audit: true })
      }
    },
  }
}
