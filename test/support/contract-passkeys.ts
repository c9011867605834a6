import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type pg from 'pg'
import { createAuthenticator } from './authenticator.ts'

interface User {
  id: string
  keepCookies (answer: LightMyRequestResponse): LightMyRequestResponse
  request (method: string, url: string, payload?: object): InjectOptions & { method: string, url: string }
}
type Send = (app: FastifyInstance, request: ReturnType<User['request']>) => Promise<LightMyRequestResponse>

const PASSKEYS = '/api/auth/factors/passkeys'

/** Adds, uses, renames and removes a passkey, so that each operation answers with each of its statuses. */
export async function exercisePasskeys (app: FastifyInstance, owner: pg.Pool, user: User, send: Send) {
  const authenticator = createAuthenticator(new URL(app.config.PUBLIC_URL).origin)
  let challenge = ''

  async function ask (method: string, url: string, payload?: object) {
    const request = user.request(method, url, payload)
    const answer = user.keepCookies(
      await send(app, { ...request, cookies: { ...request.cookies, passkey_challenge: challenge } }))
    challenge = answer.cookies.find(({ name }) => name === 'passkey_challenge')?.value ?? challenge
    return answer
  }
  const add = async (fault = {}) => {
    const options = (await ask('POST', `${PASSKEYS}/options`)).json()
    return ask('POST', PASSKEYS, { response: authenticator.create(options, fault), name: 'Laptop' })
  }

  await add({ userVerified: false })
  const { passkey } = (await add()).json()
  await add()
  const options = (await ask('POST', '/login/passkey/options')).json()
  await ask('POST', '/login/passkey', { response: authenticator.get(options, { forged: true }) })
  const again = (await ask('POST', '/login/passkey/options')).json()
  const signedIn = await send(app, {
    method: 'POST',
    url: '/login/passkey',
    payload: { response: authenticator.get(again) },
    cookies: { passkey_challenge: challenge },
  })
  if (signedIn.statusCode !== 200) throw new Error(signedIn.body)

  for (const id of ['00000000-0000-4000-8000-000000000000', 'x'.repeat(101), passkey.id]) {
    await ask('PATCH', `${PASSKEYS}/${id}`, { name: 'Desk' })
    if (id !== passkey.id) await ask('DELETE', `${PASSKEYS}/${id}`)
  }
  await owner.query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id])
  await ask('DELETE', `${PASSKEYS}/${passkey.id}`)
  await owner.query("UPDATE users SET provider = 'provider_a', provider_a_id = 'contract' WHERE id = $1", [user.id])
  await ask('DELETE', `${PASSKEYS}/${passkey.id}`)
}
