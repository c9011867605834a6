import t from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'

t.test('GET /api/auth/events: the events of this account, newest first (200)', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const user = await createUser(owner)
  const [browser, stranger] = [createBrowser(app), createBrowser(app, { userAgent: '' })]
  await stranger.signIn(user.username, 'wrong')
  await stranger.signIn((await createUser(owner)).username)
  await browser.signIn(user.username)
  const answer = await browser.get('/api/auth/events')
  t.equal(answer.statusCode, 200)
  t.match(answer.json(), {
    events: [
      { what: 'sign_in', ip: browser.address, device: 'Firefox on Linux', at: /^\d{4}-.+Z$/ },
      { what: 'sign_in_failed', ip: stranger.address, device: 'Unknown device' },
    ],
  })
  t.equal(answer.json().events.length, 2)
  t.strictSame(Object.keys(answer.json().events[0]), ['what', 'ip', 'device', 'byOperator', 'at'])
})

t.test('GET /api/auth/events: which fields of the profile were changed, and whether by an operator (200)', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await browser.guarded('PATCH', '/api/auth/me', { name: 'Ada', timeZone: 'Europe/London' })
  const found = await app.users.findById(user.id)
  await app.changeAccount(found!, { externalId: 'secret-of-the-operator' }, 'operator grace')
  const answer = await browser.get('/api/auth/events')
  t.match(answer.json(), {
    events: [
      { what: 'profile_changed', ip: null, changed: ['externalId'], byOperator: true },
      { what: 'profile_changed', ip: browser.address, changed: ['name', 'timeZone'], byOperator: false },
      { what: 'sign_in', changed: undefined, byOperator: false },
    ],
  })
  t.notMatch(answer.body, /grace|secret-of-the-operator|Ada|London/)
})

t.test('GET /api/auth/events: the last fifty (200)', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await owner.query(
    `INSERT INTO auth_events (what, user_id, created_at)
     SELECT 'sign_out', $1, now() - n * interval '1 minute' FROM generate_series(1, 60) n`,
    [user.id]
  )
  const { events } = (await browser.get('/api/auth/events')).json()
  t.equal(events.length, 50)
  t.match(events[49], { what: 'sign_out', ip: null })
  t.strictSame(
    events.map(({ at }: { at: string }) => at),
    events
      .map(({ at }: { at: string }) => at)
      .toSorted()
      .reverse()
  )
})

t.test('GET /api/auth/events: not signed in (401)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  t.equal((await createBrowser(app).get('/api/auth/events')).statusCode, 401)
})
