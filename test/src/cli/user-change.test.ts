import t from 'tap'
import { createBrowser, createUser } from '../../support/browser.ts'
import { setUp } from '../../support/cli/users.ts'

const { app, owner, user, userHere, mails, mailTo } = await setUp()

t.test('user change: each field, in one event with who did it; sessions go on (0)', async t => {
  const { id, username } = await createUser(owner, { name: 'Ada' })
  const browser = createBrowser(app)
  await browser.signIn(username)
  const [name, zone] = ['Ada 𠮷 King', 'Europe/London']
  t.match(await user([
    'change', username, '--name', name, '--username', 'ada-king', '--language', 'de', '--time-zone', 'europe/london',
    '--external-id', 'c-1815',
  ]), { code: 0, stdout: 'Changed for ada-king: name, language, time zone, username, external id.\n' })
  t.equal((await browser.refresh()).statusCode, 200)
  t.match(JSON.parse((await userHere(['show', `id:${id}`, '--json'])).stdout), {
    user: { name, username: 'ada-king', language: 'de', timeZone: zone, externalId: 'c-1815' },
    sessions: { length: 1 },
  })
  t.match((await userHere(['show', `id:${id}`])).stdout, /\nlanguage {2}de\ntime zone {1,2}Europe\/London\n/)
  t.match((await userHere(['events', `id:${id}`])).stdout,
    /profile_changed: name, language, time zone, username, external id {2}by command line\n/)

  const removed = await userHere(['change', 'ada-king', '--name', '', '--time-zone', '', '--json'])
  t.strictSame(JSON.parse(removed.stdout), { id, changed: ['name', 'timeZone'], emailRequested: null })
  t.match(await userHere(['change', 'ada-king', '--name', '']), { code: 0, stdout: /Nothing was changed/ })
  const { rows } = await owner.query(
    "SELECT subject, actor FROM auth_events WHERE user_id = $1 AND what = 'profile_changed' ORDER BY id", [id])
  t.strictSame(rows, ['name,language,timeZone,username,externalId', 'name,timeZone']
    .map(subject => ({ subject, actor: 'command line' })))
  t.strictSame(mails(), [], 'the owner gets no mail of it')
})

t.test('user change --email: after the link in a mail to the new address (0)', async t => {
  const { id, username, email } = await createUser(owner)
  t.match(await userHere(['change', username, '--email', 'next@example.com']), {
    code: 0,
    stdout: `A mail to next@example.com asks to confirm it. Until then, ${email} stays.`,
  })
  const { token } = await mailTo('next@example.com') ?? {}
  t.equal((await createBrowser(app).post('/verify-email/change', { token })).statusCode, 204)
  t.equal((await app.users.findById(id))?.email, 'next@example.com')
  t.match(await mailTo(email), { token: String }, 'the former address can undo it')
})

t.test('user change: what is wrong or taken changes nothing (1, 2)', async t => {
  const { id, username } = await createUser(owner)
  const other = await createUser(owner, { external_id: 'other-1' })
  for (const [options, stderr] of [
    [['--username', other.username.toUpperCase()], /This username is taken/],
    [['--external-id', 'other-1'], /This external id is taken/],
    [['--email', other.email], /This email is taken/],
    [['--username', ''], /Invalid username/],
    [['--email', 'nowhere'], /Invalid email/],
    [['--language', 'xx'], /Unknown language/],
    [['--time-zone', 'Mars/Olympus'], /Unknown time zone/],
    [['--name', 'a\u0007b'], /Invalid name/],
  ] as const) t.match(await userHere(['change', username, ...options]), { code: 1, stderr }, options.join(' '))
  t.match(await userHere(['change', username]), { code: 2, stderr: /Nothing to change/ })
  t.match(await userHere(['change', 'nobody', '--name', 'x']), { code: 1, stderr: /No such user/ })
  t.equal((await owner.query('SELECT FROM auth_events WHERE user_id = $1', [id])).rowCount, 0)
})
