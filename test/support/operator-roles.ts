import { createBrowser, createUser, PASSWORD } from './browser.ts'
import { secrets } from './build.ts'
import type { buildOperator } from './operator.ts'
import { API, SESSION } from './operator-session.ts'
import { addTotp } from './second-factor.ts'
import type { Role } from '../../src/operators/roles.ts'

type Service = Awaited<ReturnType<typeof buildOperator>>

/** An operator with this role, who is signed in on the listener. */
export async function signInAs ({ app, operator, owner }: Service, role: Role) {
  const user = await createUser(owner)
  const totp = await addTotp(owner, user.id)
  await app.operators.add(user.id, role)
  const browser = createBrowser(operator)
  await browser.post(SESSION, { username: user.username, password: PASSWORD })
  await browser.post(`${SESSION}/second-factor`, { code: await totp.freshCode() })
  secrets.add(browser.cookies.get('operator_session') as string)
  return {
    ...user,
    totp,
    browser,
    /** As the page does: with the CSRF token of the session. */
    async send (method: string, path: string, payload?: object) {
      const { csrfToken } = (await browser.get(SESSION)).json()
      return browser.send(method as 'POST', `${API}${path}`, payload, { 'x-csrf-token': csrfToken })
    },
  }
}
