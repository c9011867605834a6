import type { Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from './browser.ts'
import { secrets } from './build.ts'
import { buildOperator, type buildSharedOperator } from './operator.ts'
import { addTotp } from './second-factor.ts'

export const API = '/operator/api/v1'
export const SESSION = `${API}/session`

type Build = typeof buildOperator | typeof buildSharedOperator

/** A service with an operator, and a browser at the listener for operators. */
export async function setUpOperator (t: Test, settings: Record<string, string> = {}, build: Build = buildOperator) {
  const service = await build(t, { settings: { ...NO_LIMITS, ...settings } })
  const user = await createUser(service.owner)
  const totp = await addTotp(service.owner, user.id)
  await service.app.operators.add(user.id)
  const browser = createBrowser(service.operator)

  async function signIn () {
    const first = await browser.post(SESSION, { username: user.username, password: PASSWORD })
    const second = await browser.post(`${SESSION}/second-factor`, { code: await totp.freshCode() })
    secrets.add(browser.cookies.get('operator_session') as string)
    return { first, second }
  }

  /** As the page does: with the CSRF token of the session. */
  async function change (method: 'POST' | 'DELETE', path: string, payload?: object) {
    const { csrfToken } = (await browser.get(SESSION)).json()
    return browser.send(method, `${API}${path}`, payload, { 'x-csrf-token': csrfToken })
  }

  return { ...service, user, totp, browser, signIn, change }
}
