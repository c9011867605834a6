// The code in docs/integrating.md, run as it is printed: only the address of Gatehouse is replaced.
import { createHmac } from 'node:crypto'
import { exportSPKI, generateKeyPair, importJWK, importPKCS8, SignJWT, type JWTPayload } from 'jose'
import t, { type Test } from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { createEncryption } from '../../src/secrets/encryption.ts'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { build, JWT_SECRET, withoutRedis } from '../support/build.ts'
import { startApp } from '../support/deploy/apps.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, startInstances } from '../support/deploy/instances.ts'
import { codeOf, VERIFIERS } from '../support/deploy/verifiers.ts'
import { createVisitor } from '../support/deploy/web-client.ts'

const ALGORITHMS = ['EdDSA', 'ES256'] as const

/** Tokens of a service that signs with this algorithm, and forged ones. */
async function issueTokens (t: Test, algorithm: typeof ALGORITHMS[number]) {
  const port = await freePort()
  const PUBLIC_URL = `http://127.0.0.1:${port}`
  const { app, owner } = await build(t, {
    settings: { ...NO_LIMITS, PUBLIC_URL, TOKEN_AUDIENCES: 'orders,billing', SIGNING_ALG: algorithm },
  })
  await app.listen({ port, host: '127.0.0.1' })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const tokenFor = async (audience: string): Promise<string> =>
    (await browser.post('/api/auth/token', { audience })).json().token

  const good = await tokenFor('orders')
  const [header = '', payload = '', signature = ''] = good.split('.')
  const { kid, ...protectedHeader } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const [current, next] = await app.signingKeys.rotate()
  await app.signingKeys.update()
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const withAlgorithm = (alg: string) => `${encode({ ...protectedHeader, kid, alg })}.${payload}`

  /** Signed with a key of the service, which never signs such a token itself. */
  async function signed (given: JWTPayload, key = current, own: object = {}): Promise<string> {
    const encryption = createEncryption('signing keys', { JWT_SECRET })
    const { text = '' } = await encryption.decrypt(key?.encrypted ?? '', key?.kid ?? '') ?? {}
    return new SignJWT(given)
      .setProtectedHeader({ ...protectedHeader, kid: key?.kid, ...own })
      .sign(await importPKCS8(text, algorithm))
  }

  /** HS256, with something that everyone can read as the secret. */
  function withSecret (secret: string | Buffer): string {
    const text = withAlgorithm('HS256')
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }

  const { publicKey } = current ?? {}
  const spki = await exportSPKI(await importJWK(publicKey ?? {}, algorithm) as CryptoKey)
  const stranger = await generateKeyPair(algorithm)
  const byStranger = (kid: string) =>
    new SignJWT(claims).setProtectedHeader({ ...protectedHeader, kid }).sign(stranger.privateKey)
  const now = Math.floor(Date.now() / 1_000)

  const refused: Record<string, string> = {
    'a token for another audience': await tokenFor('billing'),
    'alg: none': `${withAlgorithm('none')}.`,
    'alg: none, with a signature': `${withAlgorithm('none')}.${signature}`,
    'the other algorithm': `${withAlgorithm(algorithm === 'EdDSA' ? 'ES256' : 'EdDSA')}.${signature}`,
    'HS256 with the public key as secret': withSecret(Buffer.from(publicKey?.x ?? '', 'base64url')),
    'HS256 with the public key as secret, encoded': withSecret(publicKey?.x ?? ''),
    'HS256 with the public key as secret, as PEM': withSecret(spki),
    'an unknown kid': await byStranger('00000000-0000-4000-8000-000000000000'),
    'a known kid, another key': await byStranger(kid),
    'no kid': await signed(claims, current, { kid: undefined }),
    expired: await signed({ ...claims, iat: now - 400, exp: now - 100 }),
    'without exp': await signed({ ...claims, exp: undefined }),
    'of another issuer': await signed({ ...claims, iss: 'https://evil.example' }),
    'of another type': await signed(claims, current, { typ: 'JWT' }),
    'changed claims': `${header}.${encode({ ...claims, sub: '4711' })}.${signature}`,
    'the access token of the cookie': browser.cookies.get('access_token') ?? '',
    'the refresh token of the cookie': browser.cookies.get('refresh_token') ?? '',
    'no token': 'nonsense',
  }
  return { PUBLIC_URL, userId: user.id, valid: [good, await signed(claims, next)], refused }
}

for (const algorithm of ALGORITHMS) {
  t.test(`docs/integrating.md: tokens that are signed with ${algorithm}`, async t => {
    const { PUBLIC_URL, userId, valid, refused } = await issueTokens(t, algorithm)
    for (const { language, missing, read } of VERIFIERS) {
      await t.test(`docs/integrating.md: ${language} accepts valid tokens and refuses all others, ${algorithm}`, {
        skip: missing.length > 0 && `NO ${missing.join(', ')} ON THIS MACHINE: THE CODE IN ${language} DID NOT RUN`,
      }, async t => {
        const [first, second, ...others] = await read(t, [...valid, ...Object.values(refused)], PUBLIC_URL)
        t.strictSame([first, second], [userId, userId], 'of the current key, and of the next one')
        t.strictSame(
          Object.keys(refused).map((what, index) => [what, others[index]]),
          Object.keys(refused).map(what => [what, null])
        )
      })
    }
  })
}

t.test('docs/integrating.md: nginx passes the token on', { skip: withoutNginx || withoutRedis }, async t => {
  const { owner, settings } = await productionSettings(t)
  const { ports } = await startInstances(t, { ...settings, TOKEN_AUDIENCES: 'orders' })
  const orders = await startApp(t, ({ headers }, response) => response.end(headers['x-auth-token']))
  const location = codeOf('nginx').replace('http://orders/', `http://127.0.0.1:${orders}/`)
  const frontEnd = await startFrontEnd(t, {
    instances: ports,
    changes: { 'site/app.conf': { 'location / {': `${location}\nlocation / {` } },
  })
  const guest = createVisitor(frontEnd, { address: '127.0.0.74' })
  t.teardown(guest.leave)
  const { id, username, password } = await createUser(owner, { username: 'guest' })
  t.equal((await guest.get('/orders/')).status, 401)
  await guest.post('/login', { username, password })
  const [, claims = ''] = (await guest.get('/orders/', { 'x-auth-token': 'forged' })).body.split('.')
  t.match(JSON.parse(Buffer.from(claims, 'base64url').toString()), { sub: id, aud: 'orders' })
})
