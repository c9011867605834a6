import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import type { User } from '../../../plugins/records/accounts/users.ts'
import { createBrowser, createUser, hashOf, PASSWORD } from '../../support/browser.ts'
import { build, JWT_SECRET } from '../../support/build.ts'

/** With a route that returns the logins a browser is known for, and one that remembers a social account. */
const service = await build(t, {
  before: app => {
    app.register(async app => {
      app.post<{ Body: string[] }>('/known', async request => {
        const known = await Promise.all(request.body.map(login => app.knownBrowsers.recognize(request, login)))
        return request.body.filter((_, index) => known[index])
      })
      app.post<{ Body: User }>('/knows', async request => ({
        knows: app.knownBrowsers.browserOf(request, request.body) !== undefined,
      }))
      app.post<{ Body: User }>('/remember', async (request, reply) => {
        await app.knownBrowsers.remember(request, reply, request.body, true)
        return {}
      })
    })
  },
})

/** The service, without the accounts of the other tests. */
function setUp (t: Test) {
  const { app, owner } = service
  t.teardown(() => owner.query('DELETE FROM users'))
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
  const { app, owner, known } = setUp(t)
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
  const { rows: [{ hash }] } = await owner.query('SELECT password_hash AS hash FROM users')
  const knows = async (user: object) => (await browser.post('/knows', user)).json().knows
  t.equal(await knows({ id: ada.id, passwordHash: hash }), true)
  t.equal(await knows({ id: ada.id, passwordHash: `${hash}x` }), false, 'another password')
  t.equal(await knows({ id: `${ada.id}0`, passwordHash: hash }), false, 'another account')

  const line = (answer.headers['set-cookie'] as string[]).find(each => each.startsWith('device='))
  t.match(line, /; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
  t.notMatch(line, 'ada', 'the cookie discloses no name')
})

t.test('a browser is known for five users; the sixth replaces the first', async t => {
  const { app, owner, known } = setUp(t)
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

t.test('a reset, a change or a deletion makes browsers unknown', async t => {
  const { app, owner, known } = setUp(t)
  const user = await createUser(owner, { username: 'ada' })
  const [browser, other] = [createBrowser(app), createBrowser(app)]
  for (const each of [browser, other]) await each.signIn('ada')
  await browser.guarded('POST', '/api/auth/password', { current: PASSWORD, password: 'even-Better-43-staple' })
  t.strictSame(await known(browser.cookies.get('device'), ['ada']), ['ada'], 'the browser that changed the password')
  t.strictSame(await known(other.cookies.get('device'), ['ada']), [], 'another browser')

  await owner.query('UPDATE users SET password_hash = $1', [await hashOf('a-Reset-password-44')])
  t.strictSame(await known(browser.cookies.get('device'), ['ada']), [], 'after a reset')
  await browser.signIn('ada', 'a-Reset-password-44')
  t.strictSame(await known(browser.cookies.get('device'), ['ada']), ['ada'])

  await owner.query('DELETE FROM users WHERE id = $1', [user.id])
  await createUser(owner, { username: 'ada' })
  t.strictSame(await known(browser.cookies.get('device'), ['ada']), [], 'a new account of that username')
})

t.test('a social account is not known by its username, which is not unique', async t => {
  const { app, owner, known } = setUp(t)
  const browser = createBrowser(app)
  const social = await createUser(owner, { username: 'victim', email: 'social@example.com', password_hash: null })
  await createUser(owner, { username: 'victim' })
  await browser.post('/remember', { id: social.id, passwordHash: null })
  t.strictSame(await known(browser.cookies.get('device'), ['victim', social.email]), [social.email])
})

t.test('no cookie, a changed one, another one, another key: not known', async t => {
  const { app, owner, known } = setUp(t)
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

t.test('a browser that version 0.2 knows stays known, and the other way round', async t => {
  const { app, owner, known } = setUp(t)
  const names = ['p1', 'p2', 'p3', 'p4', 'p5']
  for (const username of names) await createUser(owner, { username })
  const browser = createBrowser(app)
  for (const name of names) await browser.signIn(name)
  const valueOf = (cookie?: string) => app.unsignCookie(cookie ?? '').value as string
  const fields = valueOf(browser.cookies.get('device')).split('.')
  t.equal(fields.length, 1 + 5 + 1)
  t.equal(fields.at(-1), '~device', 'for 0.2 this is a sixth mark of an account that it does not know')

  // 0.2 signs the fields alone, and keeps the first five marks.
  const former = fields.slice(0, 6).join('.')
  t.strictSame(await known(app.signCookie(former), names), names)
  browser.cookies.set('device', app.signCookie(former))
  await browser.signIn('p5')
  t.equal(valueOf(browser.cookies.get('device')), `${former}.~device`, 'a sign-in writes it in the present form')
  const few = [...fields.slice(0, 3), '~device'].join('.')
  t.strictSame(await known(app.signCookie(few), names), ['p4', 'p5'], '0.2 keeps the name, if there is room')
  for (const other of [`${fields[0]}`, `${fields[0]}.short`, `x.${fields[1]}`, `${fields[0]}.provider_a_state.~x`]) {
    t.strictSame(await known(app.signCookie(other), names), [], other)
  }
  const alarms = "SELECT FROM sign_in_alarms WHERE user_id = (SELECT id FROM users WHERE username = 'p5')"
  t.equal((await owner.query(alarms)).rowCount, 0, 'no alarm')
})

t.test('fifty logins of one browser are looked up in a window, and no more', async t => {
  const { app, owner, known } = setUp(t)
  const { username } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  const device = browser.cookies.get('device')
  const { findByLogin } = app.users
  let queries = 0
  app.users.findByLogin = login => {
    queries++
    return findByLogin(login)
  }
  t.teardown(() => { app.users.findByLogin = findByLogin })
  await known(device, Array.from({ length: 60 }, (_, index) => `stranger${index}`))
  t.equal(queries, 50)
  t.strictSame(await known(device, [username]), [], 'then it counts as unknown')
})
