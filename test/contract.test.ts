import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { ASSERTION_EXAMPLE, REGISTRATION_EXAMPLE } from '../schemas/webauthn.ts'
import type { OpenApi } from '../src/site/openapi.ts'
import { addApplication, allowApplication } from './support/applications.ts'
import { addressLink } from './support/address-links.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from './support/browser.ts'
import { createContract } from './support/contract.ts'
import { exerciseMailSignIn } from './support/contract-mail.ts'
import { exercisePasskeys } from './support/contract-passkeys.ts'
import { exerciseProviders, refuseAfterProviders } from './support/contract-providers.ts'
import { build } from './support/build.ts'
import { challengeOf, createDevice } from './support/devices/software-key.ts'
import { eventually } from './support/patience.ts'
import { WITH_MAIL } from './support/mail-sign-in.ts'
import { addTotp, codeOf } from './support/second-factor.ts'
import { startSmtp } from './support/smtp.ts'

const NEW_PASSWORD = 'gl4ss-Harmonica-7!'
const NO_DATABASE = 'postgres://127.0.0.1:1/none'
type Request = InjectOptions & { method: string, url: string }

const AUDIENCES = { TOKEN_AUDIENCES: 'orders' }
const PROVIDER_A = { PROVIDER_A_CLIENT_ID: 'gatehouse', PROVIDER_A_CLIENT_SECRET: 'contract' }

/** Valid bodies, for requests that are refused before their values are checked. */
const BODIES: Record<string, object> = {
  login: { username: 'ada', password: PASSWORD },
  register: { username: 'newcomer', email: 'newcomer@example.com', password: NEW_PASSWORD },
  verifyEmail: { token: 'x'.repeat(43) },
  resend: { email: 'ada@example.com' },
  requestReset: { email: 'ada@example.com' },
  confirmReset: { token: 'x'.repeat(43), password: NEW_PASSWORD },
  changePassword: { current: PASSWORD, password: NEW_PASSWORD },
  checkPassword: { password: NEW_PASSWORD },
  deleteAccount: { password: PASSWORD },
  issueToken: { audience: 'orders' },
  finishLogin: { code: '123456' },
  confirmTotp: { code: '123456' },
  reauthenticate: { password: PASSWORD },
  signInWithPasskey: { response: ASSERTION_EXAMPLE },
  addPasskey: { response: REGISTRATION_EXAMPLE, name: 'Laptop' },
  renamePasskey: { name: 'Desk' },
  setLanguage: { language: 'de' },
  changeAccount: { name: 'Ada King' },
  changeEmail: { email: 'other@example.org' },
  confirmEmail: { token: 'x'.repeat(43) },
  undoEmail: { token: 'x'.repeat(43) },
  confirmEmailWithCode: { code: '123456' },
  sendSignInMail: { email: 'ada@example.com' },
  readMailLink: { token: 'x'.repeat(43) },
  confirmSignInMail: { code: '123456' },
  registerByMail: { name: 'Ada' },
}

t.test('every documented status is answered, as documented', async t => {
  const smtp = await startSmtp(t)
  const { app, owner } = await build(t, {
    settings: {
      ...NO_LIMITS,
      ...WITH_MAIL,
      SMTP_URL: smtp.url,
      ...AUDIENCES,
      ...PROVIDER_A,
      DEVICE_BOUND_SESSIONS: 'on',
    },
  })
  const { operations, operationAt, problems } = createContract((await app.inject('/openapi.json')).json<OpenApi>())
  const seen = new Set<string>()
  let registering: Request | undefined

  /** As `inject`, and checks the response against the document. */
  async function send (to: FastifyInstance, request: Request) {
    const answer = await to.inject(request)
    const operation = operationAt(request.method, request.url)
    if (!operation) throw new Error(`the document has no ${request.method} ${request.url}`)
    t.strictSame(problems(operation, answer), [], `${operation.operationId} ${answer.statusCode}`)
    seen.add(`${operation.operationId} ${answer.statusCode}`)
    return answer
  }

  async function newcomer (given: Parameters<typeof createUser>[1] = {}) {
    const user = await createUser(owner, given)
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    const { csrfToken } = (await browser.get('/api/csrf-token')).json()
    const request = (method: string, url: string, payload?: object): Request => ({
      method: method as 'GET',
      url,
      payload,
      cookies: Object.fromEntries(browser.cookies),
      headers: { 'x-csrf-token': csrfToken },
    })
    /** A proof of identity replaces the session. */
    function keepCookies (answer: LightMyRequestResponse) {
      for (const { name, value } of answer.cookies) if (value) browser.cookies.set(name, value)
      return answer
    }
    return {
      ...user,
      request,
      keepCookies,
      send: async (method: string, url: string, payload?: object) =>
        keepCookies(await send(app, request(method, url, payload))),
    }
  }

  /** The cookies of a login that waits for its second factor. */
  async function firstStep (username: string): Promise<Record<string, string>> {
    const answer = await send(app, { method: 'POST', url: '/login', payload: { username, password: PASSWORD } })
    return Object.fromEntries(answer.cookies.map(({ name, value }) => [name, value]))
  }

  const finishLogin = (to: FastifyInstance, cookies: Record<string, string>, code: string) =>
    send(to, { method: 'POST', url: '/login/second-factor', payload: { code }, cookies })

  const ada = await newcomer({ username: 'ada' })
  await owner.query("INSERT INTO content (slug, title, body, published_at) VALUES ('first', 'First', 'Words', now())")
  const urlOf = (path: string) => path
    .replace('{slug}', 'first')
    .replace('{name}', 'provider-a')
    .replace('{id}', '00000000-0000-4000-8000-000000000000')

  await t.test('every operation: malformed and unauthorized requests (400, 401, 403, 413, 415)', async () => {
    for (const { operationId, method, path, security, responses } of operations) {
      const url = urlOf(path)
      const request = ada.request(method, url, BODIES[operationId])
      const text = (payload: string, type = 'application/json') =>
        send(app, { ...request, payload, headers: { ...request.headers, 'content-type': type } })
      const needsToken = security.length > 0 && security.every(way => Object.keys(way).length > 0)
      const stranger = await send(app, { method: request.method, url, payload: BODIES[operationId] })
      if (!['login', 'signInWithPasskey', 'confirmSignInMail'].includes(operationId)) {
        t.equal(stranger.statusCode === 401, needsToken, `${operationId}: asks for a token as documented`)
      }
      // The body of the latter is not looked at.
      if (method === 'GET' || operationId === 'proveDevice') continue
      t.equal(
        (await send(app, { ...request, headers: { ...request.headers, origin: 'https://elsewhere.example' } }))
          .statusCode,
        403
      )
      t.equal((await text('x', 'text/plain')).statusCode, 415)
      t.equal((await text(JSON.stringify('x'.repeat(20_000)))).statusCode, 413)
      t.equal((await text('{')).statusCode, 400)
      if (responses['401'] && responses['403'] && security.some(way => way.csrfToken)) {
        t.equal((await send(app, { ...request, headers: {} })).statusCode, 403)
      }
    }
  })

  await t.test('success and refusals of each operation', async () => {
    await send(app, { method: 'GET', url: '/docs' })
    await send(app, { method: 'GET', url: '/login/mail' })
    await send(app, {
      method: 'GET',
      url: '/openapi.json',
      headers: { 'if-none-match': (await app.inject('/openapi.json')).headers.etag as string },
    })
    for (const path of ['/api/auth/provider-a', '/api/auth/provider-b'].flatMap(path => [path, `${path}/callback`])) {
      await send(app, { method: 'GET', url: path, headers: { 'sec-purpose': 'prefetch' } })
    }

    for (const { method, path, operationId } of operations.filter(
      // The step of a login is no session.
      ({ method, security, operationId }) => method === 'GET' && security.length > 0 && operationId !== 'getLoginStep'
    )) {
      t.match(String((await ada.send(method, urlOf(path))).statusCode), /^20[04]$/, operationId)
    }
    await send(app, {
      method: 'GET',
      url: '/api/auth/verify?signed-out=redirect',
      headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' },
    })
    await ada.send('GET', '/api/auth/verify?signed-out=otherwise')
    await ada.send('GET', '/api/auth/verify?audience=orders')
    await ada.send('GET', '/api/auth/verify?audience=payroll')
    await ada.send('POST', '/api/auth/token', BODIES.issueToken)
    await ada.send('POST', '/api/auth/token', { audience: 'payroll' })
    await ada.send('GET', '/api/content/second')
    await ada.send('GET', '/api/content/NOT')
    await ada.send('GET', `/api/content/${'x'.repeat(101)}`)
    await ada.send('DELETE', `/api/auth/sessions/${'x'.repeat(101)}`)
    await ada.send('POST', '/api/sensitive')
    await ada.send('PUT', '/api/auth/language', BODIES.setLanguage)
    await ada.send('PATCH', '/api/auth/me', BODIES.changeAccount)
    await ada.send('POST', '/api/auth/password/check', BODIES.checkPassword)
    await ada.send('POST', '/api/auth/refresh')
    await send(app, { method: 'POST', url: '/login', payload: BODIES.login })
    await send(app, { method: 'POST', url: '/login', payload: { username: 'ada', password: 'wrong' } })

    await ada.send('DELETE', '/api/auth/applications/00000000-0000-4000-8000-000000000000')
    await ada.send('DELETE', `/api/auth/applications/${'x'.repeat(101)}`)
    const application = await addApplication(owner, 'Album')
    await allowApplication(owner, ada.id, application)
    await ada.send('GET', '/api/auth/applications')
    await ada.send('DELETE', `/api/auth/applications/${application}`)
    await ada.send('DELETE', '/api/auth/sessions/00000000-0000-4000-8000-000000000000')
    await ada.send('DELETE', '/api/auth/sessions')
    const { sessions } = (await ada.send('GET', '/api/auth/sessions')).json()
    await ada.send('DELETE', `/api/auth/sessions/${sessions[0].id}`)

    const changer = await newcomer()
    await changer.send('POST', '/api/auth/password', { current: 'wrong', password: NEW_PASSWORD })
    await changer.send('POST', '/api/auth/password', { current: PASSWORD, password: 'weak' })
    await changer.send('POST', '/api/auth/password', BODIES.changePassword)
    await owner.query('UPDATE users SET password_hash = NULL WHERE id = $1', [changer.id])
    await changer.send('POST', '/api/auth/password', BODIES.changePassword)
    await changer.send('DELETE', '/api/auth/me', {})

    const cautious = await newcomer()
    await cautious.send('DELETE', '/api/auth/factors/totp')
    await cautious.send('POST', '/api/auth/factors/recovery-codes')
    await cautious.send('POST', '/api/auth/reauthenticate', { password: PASSWORD })
    const { secret } = (await cautious.send('POST', '/api/auth/factors/totp')).json()
    await cautious.send('POST', '/api/auth/factors/totp/confirm', { code: codeOf(secret) })
    await cautious.send('POST', '/api/auth/factors/totp')
    const { recoveryCodes: [code] } = (await cautious.send('POST', '/api/auth/factors/recovery-codes')).json()
    const step = await firstStep(cautious.username)
    await send(app, { method: 'GET', url: '/login/second-factor', cookies: step })
    await finishLogin(app, step, code)

    await (await newcomer()).send('POST', '/api/auth/email', BODIES.changeEmail)
    const late = await newcomer()
    await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '1 h' WHERE user_id = $1", [late.id])
    await late.send('GET', '/api/auth/export')
    const mover = await newcomer()
    for (const way of ['change', 'undo'] as const) {
      const token = await addressLink(app, owner, `${way}_email`, mover.id, 'moved@example.org')
      await send(app, { method: 'POST', url: `/verify-email/${way}`, payload: { token } })
    }
    registering = await exerciseMailSignIn({ app, owner, smtp, send, newcomer })
    await exercisePasskeys(app, owner, await newcomer(), send)
    await exerciseProviders(owner, await newcomer())

    const leaver = await newcomer()
    await leaver.send('POST', '/logout')
    await send(app, { method: 'POST', url: '/logout', headers: { 'sec-fetch-mode': 'navigate' } })

    await send(app, { method: 'POST', url: '/register', payload: BODIES.register })
    await send(app, { method: 'POST', url: '/register', payload: { ...BODIES.register, email: 'other@example.com' } })
    await send(app, { method: 'POST', url: '/register', payload: { ...BODIES.register, password: 'weak' } })
    const tokenFor = (link: string) =>
      eventually(
        () => smtp.mails.find(({ reader, text }) => reader === 'newcomer@example.com' && text?.includes(link))?.token,
        token => token !== undefined
      )
    await send(app, { method: 'POST', url: '/verify-email', payload: { token: await tokenFor('/verify-email#') } })
    await send(app, { method: 'POST', url: '/reset-password', payload: { email: 'newcomer@example.com' } })
    const token = await tokenFor('/reset-password#')
    await send(app, { method: 'POST', url: '/reset-password/confirm', payload: { token, password: 'weak' } })
    await send(app, {
      method: 'POST',
      url: '/reset-password/confirm',
      payload: { token, password: 'br4ss-Harmonica-8!' },
    })
    // The last part, because each instance sends the mails of all.
    const { app: other } = await build(t, {
      settings: {
        ...NO_LIMITS,
        DATABASE_URL: app.config.DATABASE_URL as string,
        SMTP_URL: smtp.url,
        SECOND_FACTOR: 'required',
        EMAIL_VERIFICATION: 'off',
      },
    })
    await send(other, cautious.request('DELETE', '/api/auth/factors/totp'))
    await cautious.send('DELETE', '/api/auth/factors/totp')
    await send(other, { method: 'GET', url: '/login/mail' })
    const direct = { ...BODIES.register, username: 'direct', email: 'direct@example.com' }
    await send(other, { method: 'POST', url: '/register', payload: direct })
  })

  const bob = await newcomer({ username: 'bob' })
  const carriedOn = operations.filter(({ operationId }) =>
    !['checkPassword', 'finishLogin', 'registerByMail'].includes(operationId))
  const protectedUser = await newcomer()
  await addTotp(owner, protectedUser.id)
  const step = await firstStep(protectedUser.username)

  const device = await createDevice()
  const offered = await send(app, { method: 'POST', url: '/login', payload: { username: 'bob', password: PASSWORD } })
  const offer = challengeOf(offered.headers['secure-session-registration'])
  const registration = {
    method: 'POST' as const,
    url: '/api/auth/device',
    headers: { 'secure-session-response': await device.sign(offer, { withKey: device.jwk }) },
  }

  await t.test('a session is bound to a device', async t => {
    const { session_identifier: identifier } = (await send(app, registration)).json()
    const former = await send(app, { method: 'POST', url: '/login', payload: { username: 'bob', password: PASSWORD } })
    const cookies = Object.fromEntries(former.cookies.map(({ name, value }) => [name, value]))
    const headers = { 'sec-secure-session-id': identifier }
    const proof = { method: 'POST' as const, url: '/api/auth/device/proof', headers }
    t.strictSame((await send(app, { ...proof, cookies })).json(), { continue: false })
    t.equal((await send(app, proof)).statusCode, 403)
  })

  await t.test('every limit reached (429)', async () => {
    const { app: strict } = await build(t, {
      settings: {
        DATABASE_URL: app.config.DATABASE_URL as string,
        LIMIT_GENERAL_MAX: '1',
        LIMIT_SENSITIVE_MAX: '1',
        LIMIT_LOGIN_MAX: '1',
        ...WITH_MAIL,
      },
    })
    for (const { method, path, operationId, responses } of operations) {
      if (!responses['429']) continue
      const request = bob.request(
        method,
        urlOf(path),
        operationId === 'login' ? { username: 'bob', password: 'wrong' } : BODIES[operationId]
      )
      // The highest maximum is thirty times the general one.
      for (let n = 0; n < 30 && (await strict.inject(request)).statusCode !== 429; n++);
      t.equal((await send(strict, request)).statusCode, 429, operationId)
    }
  })

  await t.test('PostgreSQL down (503)', async () => {
    const { app: alone } = await build(t, {
      settings: { ...NO_LIMITS, ...WITH_MAIL, DATABASE_URL: NO_DATABASE, ...AUDIENCES, ...PROVIDER_A },
    })
    for (const { method, path, operationId, responses } of carriedOn) {
      if (!responses['503'] || ['getServing', 'registerDevice'].includes(operationId)) continue
      // Without an audience, this route needs no database.
      const url = operationId === 'verify' ? `${path}?audience=orders` : urlOf(path)
      t.equal((await send(alone, bob.request(method, url, BODIES[operationId]))).statusCode, 503, operationId)
    }
    t.equal((await finishLogin(alone, step, '123456')).statusCode, 503)
    t.equal((await send(alone, registering as Request)).statusCode, 503)
    t.equal((await send(alone, registration)).statusCode, 503)
    const rated = await Promise.all(
      Array.from({ length: 80 }, () =>
        send(alone, { method: 'POST', url: '/api/auth/password/check', payload: BODIES.checkPassword })
      )
    )
    t.ok(
      rated.some(({ statusCode }) => statusCode === 503),
      'more concurrent ratings than the queue holds'
    )
    alone.drain.begin()
    for (const url of ['/health/ready', '/health/serving']) {
      t.equal((await send(alone, { method: 'GET', url })).statusCode, 503)
    }
  })

  await t.test('the application refuses (403)', t => refuseAfterProviders(t, send))

  const documented = operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).map(status => `${operationId} ${status}`)
  )
  t.comment(`${seen.size} of ${documented.length} documented responses seen`)
  t.strictSame(
    documented.filter(each => !seen.has(each)),
    [],
    'every documented response was seen'
  )
})
