import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import type { User } from '../../../plugins/records/users.ts'
import { createBrowser, createUser } from '../../support/browser.ts'
import { build, JWT_SECRET } from '../../support/build.ts'

/** A service with a route that returns the logins a browser is known for, and one that remembers a social account. */
async function setUp (t: Test) {
  const { app, owner } = await build(t, {
    before: app => {
      app.register(async app => {
        app.post<{ Body: string[] }>('/known', async request =>
          request.body.filter(login => app.knownBrowsers.idFor(request, login))
        )
        app.post<{ Body: User }>('/knows', async request => ({
          knows: app.knownBrowsers.knows(request, request.body),
        }))
        app.post<{ Body: User }>('/remember', async (request, reply) => {
          app.knownBrowsers.remember(request, reply, request.body)
          return {}
        })
      })
    },
  })
  const known = async (device: string | undefined, logins: string[]) =>
    (
      await app.inject({
        method: 'POST',
        url: '/known',
        payload: logins,
        cookies: device === undefined ? {} : { device },
      })
    ).json()
  return { app, owner, known }
}

t.test('a browser is known by username and email, in any spelling', async t => {
  const { app, owner, known } = await setUp(t)
  const ada = await createUser(owner, { username: 'ada', email: 'ada@example.com' })
  const browser = createBrowser(app)
  const answer = await browser.signIn('ada')
  const device = browser.cookies.get('device')
  t.strictSame(await known(device, ['ada', 'ADA', 'ada@example.com', 'Ada@Example.com', 'bob', 'ada2', '']), [
    'ada',
    'ADA',
    'ada@example.com',
    'Ada@Example.com',
  ])
  t.strictSame((await browser.post('/knows', ada)).json(), { knows: true })
  t.strictSame((await browser.post('/knows', { email: 'bob@example.com' })).json(), { knows: false })

  const line = (answer.headers['set-cookie'] as string[]).find(each => each.startsWith('device='))
  t.match(line, /; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/)
  t.notMatch(line, 'ada', 'the cookie discloses no name')
})

t.test('a browser is known for five users; the sixth replaces the first', async t => {
  const { app, owner, known } = await setUp(t)
  const browser = createBrowser(app)
  const names = ['p1', 'p2', 'p3', 'p4', 'p5']
  for (const username of names) await createUser(owner, { username })
  for (const name of [...names, 'p1', 'p2']) await browser.signIn(name)
  t.strictSame(await known(browser.cookies.get('device'), names), names)
  const id = browser.cookies.get('device')?.split('.')[0]
  await createUser(owner, { username: 'p6' })
  await browser.signIn('p6')
  t.strictSame(await known(browser.cookies.get('device'), [...names, 'p6']), ['p1', 'p2', 'p4', 'p5', 'p6'])
  t.equal(browser.cookies.get('device')?.split('.')[0], id, 'the same browser')
  t.ok((browser.cookies.get('device') ?? '').length < 400)
})

t.test('a social account is known by email only, since its username is not unique', async t => {
  const { app, known } = await setUp(t)
  const browser = createBrowser(app)
  await browser.post('/remember', { username: 'victim', email: 'mallory@example.com', passwordHash: null })
  t.strictSame(await known(browser.cookies.get('device'), ['victim', 'mallory@example.com']), ['mallory@example.com'])
})

t.test('no cookie, a changed one, another one, another key: not known', async t => {
  const { app, owner, known } = await setUp(t)
  const { username } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  const device = browser.cookies.get('device') as string
  await browser.get('/api/csrf-token')
  const [id, ...rest] = device.split('.')
  const unsigned = device.slice(0, device.lastIndexOf('.'))
  const otherKey = `${unsigned}.${createHmac('sha256', JWT_SECRET).update(unsigned).digest('base64')}`
  for (const cookie of [
    undefined,
    '',
    '.',
    unsigned,
    `${id}x.${rest.join('.')}`,
    device.slice(0, -1),
    browser.cookies.get('_csrf'),
    otherKey,
  ]) {
    t.strictSame(await known(cookie, [username]), [], String(cookie))
  }
  t.strictSame(await known(device, [username]), [username])
})
