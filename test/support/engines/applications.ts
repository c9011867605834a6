import type { FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import { createUser, PASSWORD } from '../browser.ts'
import { openService } from '../chromium.ts'
import { addTotp } from '../second-factor.ts'
import { startApplication } from './application.ts'
import type { Engine } from './engine.ts'
import { createVisitor } from './visitor.ts'

/** The application is on the site of the providers, 127.0.0.1. */
const HOSTS = { host: 'localhost', providerHost: '127.0.0.1' }

/** Where the browser went, and whether it brought the session along. */
function record (visits: string[], { cookies, method, headers, url }: FastifyRequest) {
  if (!headers.accept?.includes('text/html')) return
  const [path = ''] = url.split('?')
  const place = path.replace(/^(\/oidc\/\w+)\/[\w-]{21,}/, '$1/:uid')
  visits.push(`${method} ${place}${cookies.refresh_token ? ' with the session' : ''}`)
}

/** Signs users in to applications on another site, in any browser. */
export async function openApplications (t: Test, open: (t: Test) => Promise<Engine>) {
  const visits: string[] = []
  const { app, owner, smtp, url } = await openService(t, { OPENID: 'on' }, {
    ...HOSTS,
    before: app => app.addHook('preHandler', async request => record(visits, request)),
  })
  const application = await startApplication(t, url)
  const { url: home, use } = application
  const add = (name: string, trusted: boolean) => app.manageApplications.add({
    kind: 'web', name, trusted, redirectUris: [`${home}/callback`], postLogoutUris: [`${home}/signed-out`],
  })
  const [trusted, other] = [await add('Orders', true), await add('Photo Album', false)]
  await use(trusted)
  await createUser(owner, { username: 'ada' })
  const engine = await open(t)
  const page = createVisitor(await engine.newTab())

  /** A link of the application's page, for a visitor whom it does not know. */
  async function follow (path = '/sign-in') {
    application.forget()
    await page.open(home)
    visits.splice(0)
    await page.click(`a[href="${path}"]`)
  }

  async function enter (username: string) {
    await page.fill('#username', username)
    await page.fill('#password', PASSWORD)
    await page.click('#login [type=submit]')
  }

  async function isBack (shown: string | RegExp) {
    await page.arriveAt(`${home}/`)
    await page.see(shown, '#shown')
  }

  /** Through the application, without a question. */
  async function signOut () {
    await page.open(home)
    await page.click('a[href="/sign-out?hint=yes"]')
    await isBack('Signed out')
  }

  return { engine, enter, follow, home, isBack, other, owner, page, signOut, smtp, trusted, url, use, visits }
}

type Applications = Awaited<ReturnType<typeof openApplications>>

/** What every browser must do. */
export async function visitApplications (t: Test, opened: Applications) {
  const { enter, follow, isBack, other, page, trusted, url, use, visits } = opened

  await t.test('prompt=none without a session: an error at the application', async () => {
    await follow('/sign-in?prompt=none')
    await isBack('Refused: login_required')
  })

  await t.test('without a session: the login page, then back to the application', async t => {
    await follow()
    await page.arriveAt(new RegExp(`^${url}/login\\?next=`))
    await enter('ada')
    await isBack('Signed in as ada, aal1')
  })

  await t.test('with a session: no page is seen, and the Strict cookies arrive with the second request', async t => {
    for (const path of ['/sign-in', '/sign-in?prompt=none']) {
      await follow(path)
      await isBack('Signed in as ada, aal1')
      t.strictSame(visits, ['GET /oidc/auth', 'GET /oidc/auth with the session'], path)
    }
  })

  await t.test('consent: cancelled, then allowed, then not asked again', async t => {
    await use(other)
    await follow()
    await page.see('Photo Album')
    await page.click('#refuse [type=submit]')
    await isBack('Refused: access_denied')
    await follow()
    await page.click('#allow [type=submit]')
    await isBack('Signed in as ada')
    await follow('/sign-in?prompt=none')
    await isBack('Signed in as ada')
    await use(trusted)
  })

  await t.test('sign-out at the application: a question, then back', async t => {
    await follow('/sign-out')
    await page.see('Orders')
    await page.click('form[action="/oidc/logout/confirm"] [type=submit]')
    await isBack('Signed out, true')
    await follow('/sign-in?prompt=none')
    await isBack('Refused: login_required')
  })
}

/** What differs little from one browser to another. */
export async function visitApplicationsInEveryWay (t: Test, opened: Applications) {
  const { enter, follow, home, isBack, owner, page, signOut, smtp, url, visits } = opened

  await t.test('second factor', async () => {
    const user = await createUser(owner, { username: 'grace' })
    const { freshCode } = await addTotp(owner, user.id)
    await follow()
    await enter('grace')
    await page.fill('#code', await freshCode())
    await page.click('#second-submit')
    await isBack('Signed in as grace, aal2')
    await signOut()
  })

  await t.test('registration, with the mail link in the same browser', async () => {
    await follow()
    await page.click('a[href*="/register?next="]')
    await page.fill('#username', 'mary')
    await page.fill('#email', 'mary@example.com')
    await page.fill('#new-password', PASSWORD)
    await page.click('#register [type=submit]')
    await page.see('Check your email')
    await page.open((await smtp.next()).text?.match(/http\S+#token=\S+/)?.[0] ?? '')
    await page.click('#confirm [type=submit]')
    await isBack('Signed in as mary')
    await signOut()
  })

  await t.test('external provider, whose answer comes from another site', async () => {
    await follow()
    await page.click('a[href*="/api/auth/demo-c?next="]')
    await page.click('button[value=continue]')
    await isBack(/Signed in as ada\d*, aal1/)
  })

  await t.test('request by a form of the application', async t => {
    await follow('/form')
    await page.click('button')
    await isBack('Signed in as ada')
    t.strictSame(visits, ['POST /oidc/auth', 'GET /oidc/auth with the session'])
  })

  await t.test('response_mode=form_post', async t => {
    await follow('/sign-in?response_mode=form_post')
    await isBack('Signed in as ada')
    t.equal(visits.length, 2)
  })

  await t.test('sign-out with the ID token of this session: no question', async t => {
    await signOut()
    await page.open(`${url}/dashboard`)
    await page.arriveAt(/\/login/)
    await page.open(home)
  })
}
