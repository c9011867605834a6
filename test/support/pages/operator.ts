import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { buildOperatorApp } from '../../../src/operator-app.ts'
import { createBrowser, createUser, PASSWORD } from '../browser.ts'
import { secrets } from '../build.ts'
import { newPerson, openService } from '../chromium.ts'
import { addTotp } from '../second-factor.ts'

const SESSION = '/operator/api/v1/session'

/** The service with the listener for operators, and an operator with an authenticator app. */
export async function openOperatorPage (t: Test, browser: Browser, settings: Record<string, string> = {}) {
  const port = await freePort()
  const url = `http://gatehouse.localhost:${port}/operator`
  const house = await openService(t, { OPERATOR_URL: new URL(url).origin, ...settings })
  const { app, owner } = house
  const operator = buildOperatorApp(app)
  await operator.listen({ host: '127.0.0.1', port })
  t.teardown(() => operator.close())
  const user = await createUser(owner, { username: 'grace' })
  const totp = await addTotp(owner, user.id)
  await app.operators.add(user.id)

  const newVisitor = (options: BrowserContextOptions = {}) =>
    newPerson(t, browser, { reducedMotion: 'reduce', ...options })

  /** The cookie of an operator who has signed in before. */
  async function sessionCookie () {
    const here = createBrowser(operator)
    await here.post(SESSION, { username: user.username, password: PASSWORD })
    await here.post(`${SESSION}/second-factor`, { code: await totp.freshCode() })
    const value = here.cookies.get('operator_session') as string
    secrets.add(value)
    return { name: 'operator_session', value, path: '/operator' }
  }

  return {
    ...house,
    operator,
    operatorUrl: url,
    user,
    totp,
    newVisitor,
    sessionCookie,

    /** A page of an operator who has signed in before. */
    async newPage (options: BrowserContextOptions = {}) {
      const cookie = await sessionCookie()
      const person = await newVisitor(options)
      const scope = { domain: 'gatehouse.localhost', httpOnly: true, sameSite: 'Strict' } as const
      await person.context.addCookies([{ ...cookie, ...scope }])
      return { person, page: await person.newPage() }
    },
  }
}
