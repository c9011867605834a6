import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addApplication, addOfflineSession } from '../../support/applications.ts'
import { createBrowser, createUser } from '../../support/browser.ts'
import { NEW_PASSWORD, setUp, statusOf } from '../../support/cli/users.ts'
import { runCommand } from '../../support/cli/in-process.ts'
import { folderWith } from '../../support/folder.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'
import { addTotp } from '../../support/second-factor.ts'

const { app, env, owner, user, userHere, eventsOf, mails, mailTo } = await setUp()

t.test('user show: account and sessions, no terminal control characters (0)', async t => {
  const { id, username, email } = await createUser(owner, { name: '\u001b[2JDora' })
  const browser = createBrowser(app)
  await browser.signIn(username)
  await owner.query(`INSERT INTO identities (provider, subject, issuer, user_id)
    VALUES ('gitlab', '1', 'https://gitlab.com', $1)`, [id])
  const [plain, json] = await Promise.all([user(['show', username]), userHere(['show', email, '--json'])])
  t.match(plain, {
    code: 0,
    stdout: new RegExp(
      `^id {8}${id}\nusername {2}${username}\n.*\nname {6}\\[2JDora\n` +
        'signs in {2}with a password or through gitlab\nstate {5}enabled\nsessions {2}1\n' +
        ` {10}Firefox on Linux, ${browser.address.replaceAll('.', '\\.')}, since`,
      's'
    ),
  })
  t.match(JSON.parse(json.stdout), {
    user: { id, username, email, hasPassword: true, disabledAt: null },
    providers: ['gitlab'],
    sessions: [{ ip: browser.address, device: 'Firefox on Linux' }],
  })
  t.notMatch(plain.stdout + json.stdout, '$2b$')
  t.match(await userHere(['show', 'nobody']), { code: 1, stdout: '', stderr: /No such user/ })
})

t.test('user show: a session of an application has its name (0)', async t => {
  const { id, username } = await createUser(owner)
  const application = await addApplication(owner, 'Photo \u001b[2JAlbum')
  await addOfflineSession(owner, id, application)
  const [plain, json] = await Promise.all([user(['show', username]), userHere(['show', username, '--json'])])
  t.match(plain, { code: 0, stdout: /^ {10}Photo \[2JAlbum, unknown address, since/m })
  t.match(JSON.parse(json.stdout), { sessions: [{ application: { id: application } }] })
})

t.test('user set-password: ends every session, notifies the user (0)', async t => {
  const { id, username, email } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  t.match(await user(['set-password', username], 'password\n'), { code: 1, stderr: /must contain/ })
  t.equal(await statusOf(browser.refresh()), 200, 'a weak password changes nothing')

  t.match(await user(['set-password', username], `${NEW_PASSWORD}\n`), { code: 0, stdout: /All sessions have ended/ })
  t.equal(await statusOf(browser.refresh()), 401)
  t.equal(await statusOf(createBrowser(app).signIn(username)), 401)
  t.equal(await statusOf(createBrowser(app).signIn(username, NEW_PASSWORD)), 200)
  t.strictSame(await eventsOf(id), ['password_set'])
  t.match((await mailTo(email))?.subject, /password/i)
})

t.test('user expire-password: the password is wrong, sessions end, the owner is told (0)', async t => {
  const { id, username, email } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  t.match(await user(['expire-password', username]), { code: 0, stdout: /must choose another password/ })
  t.equal(await statusOf(browser.refresh()), 401)
  t.equal(await statusOf(browser.signIn(username)), 401)
  t.strictSame(await eventsOf(id), ['password_expired'])
  t.match((await mailTo(email))?.text, 'has expired the password')
  t.match(await userHere(['expire-password', username]), { code: 0, stdout: `${username} has no password.\n` })
  t.match(JSON.parse((await userHere(['show', username, '--json'])).stdout), { user: { hasPassword: false } })
})

t.test('user reset-factors: removes them, notifies the user (0)', async t => {
  const { id, username, email } = await createUser(owner)
  t.match(await userHere(['reset-factors', username]), { code: 0, stdout: /had no second factor/ })
  await addTotp(owner, id)
  t.equal(await statusOf(createBrowser(app).signIn(username)), 202)
  t.strictSame(JSON.parse((await user(['reset-factors', username, '--json'])).stdout),
    { id, changed: true, operatorRemoved: false })
  t.equal(await statusOf(createBrowser(app).signIn(username)), 200)
  t.strictSame(await eventsOf(id), ['factors_reset'])
  t.match((await mailTo(email))?.text, /An operator removed all second factors/)
})

t.test('reset-factors of an operator: that right ends, and the output says so (0)', async t => {
  const { id, username, email } = await createUser(owner)
  await addTotp(owner, id)
  await app.operators.add(id)
  t.match(await userHere(['reset-factors', username]), {
    code: 0, stdout: /has no second factor.* is not an operator any more: see gatehouse operator add\.\n$/,
  })
  t.equal(await app.operators.has(id), false)
  t.strictSame(await eventsOf(id), ['factors_reset', 'operator_removed'])
  t.match((await mailTo(email))?.text, /no longer an operator/)
})

t.test('user end-sessions, disable, enable (0)', async t => {
  const { id, username } = await createUser(owner)
  const [phone, laptop] = [createBrowser(app), createBrowser(app)]
  for (const browser of [phone, laptop]) await browser.signIn(username)
  t.match(await user(['end-sessions', `id:${id}`]), { code: 0, stdout: /2 sessions ended/ })
  for (const browser of [phone, laptop]) t.equal(await statusOf(browser.refresh()), 401)

  await phone.signIn(username)
  t.match(await user(['disable', username]), { code: 0, stdout: /is disabled. All sessions have ended/ })
  t.equal(await statusOf(phone.refresh()), 401)
  t.equal(await statusOf(phone.signIn(username)), 401)
  t.match(await userHere(['disable', username]), { code: 0, stdout: /already disabled/ })

  t.match(JSON.parse((await user(['enable', username, '--json'])).stdout), { id, disabled: false, changed: true })
  t.equal(await statusOf(phone.refresh()), 401, 'ended sessions stay ended')
  t.equal(await statusOf(phone.signIn(username)), 200)
  t.strictSame(await eventsOf(id), ['all_sessions_ended', 'account_disabled', 'account_enabled'])
})

t.test('user invite, verify-email, send-reset-mail, events, delete: as the operator API does it (0)', async t => {
  const invited = await user(['invite', 'grace', 'grace@example.com', '--name', 'Grace Hopper', '--json'])
  const { id } = JSON.parse(invited.stdout)
  const { token = '' } = await mailTo('grace@example.com') ?? {}
  t.ok(token)
  t.match((await userHere(['show', 'grace'])).stdout, /signs in +-\npassword +none, until the owner chooses one/)
  t.match(await userHere(['verify-email', 'grace']), { code: 0, stdout: 'grace@example.com counts as confirmed.\n' })
  const browser = createBrowser(app)
  t.equal(await statusOf(browser.post('/reset-password/confirm', { token, password: NEW_PASSWORD })), 204)
  t.equal(await statusOf(browser.signIn('grace', NEW_PASSWORD)), 200)
  t.match(await user(['send-reset-mail', `id:${id}`]), { code: 0, stdout: /^A mail to grace@example.com/ })
  const ofGrace = () => mails().filter(({ reader }) => reader === 'grace@example.com')
  const reset = await eventually(ofGrace, ({ length }) => length > 2)
  t.match(reset.at(-1)?.text, '/reset-password#token=')
  t.match(await userHere(['events', 'grace']), {
    code: 0,
    stdout: new RegExp('^[-\\d: ]{19}  password_reset_requested  by command line\\n' +
      `[-\\d: ]{19}  sign_in  Firefox on Linux  ${browser.address}\\n`),
  })
  t.match(await user(['delete', 'grace'], 'grace\n'), { code: 2, stderr: /Add --yes/ })
  t.match(JSON.parse((await user(['delete', 'grace', '--yes', '--json'])).stdout), { id, deleted: true })
  t.equal(await statusOf(browser.refresh()), 401)
  const { rows } = await owner.query('SELECT what, actor FROM auth_events WHERE account_id = $1', [id])
  t.strictSame(rows, [{ what: 'account_deleted', actor: 'command line' }])
})

t.test('user send-reset-mail: a disabled account (1); mails list (0)', async t => {
  const { username } = await createUser(owner, { disabled_at: new Date() })
  const [disabled, listed] = await Promise.all([
    userHere(['send-reset-mail', username]),
    runCommand(app, ['mails', 'list']),
  ])
  t.match(disabled, { code: 1, stderr: /This account is disabled/ })
  t.match(listed, { code: 0, stdout: 'No mail waits, and none has failed.\n' })
})

t.test('user set-password: a social-only account (1)', async t => {
  const { email } = await createUser(owner, { password_hash: null, provider: 'provider_a', provider_a_id: '1' })
  t.match(await user(['set-password', email], NEW_PASSWORD), { code: 1, stderr: /through a provider/ })
})

t.test('user data: printed and replaced, from a file or standard input, with a version (0)', async t => {
  const { id, username } = await createUser(owner)
  const file = folderWith(t, {
    'data.json': '{ "roles": ["editor"] }', 'twice.json': '{"a":1,"a":2}', 'list.json': '[]',
  })
  writeFileSync(join(file, 'latin-1.json'), Buffer.from('{"name":"Zoë"}', 'latin1'))
  t.match(await userHere(['data', username]), { code: 0, stdout: '{}' })
  t.match(await userHere(['data', `id:${id}`, '--set', join(file, 'data.json'), '--json']), { code: 0 })
  t.strictSame(JSON.parse((await userHere(['data', username, '--json'])).stdout), {
    id, data: { roles: ['editor'] }, version: 1,
  })
  const fromInput = ['user', 'data', username, '--set', '-', '--if-version', '1']
  t.match(await gatehouse(fromInput, env, { input: '{"tenant":"acme"}' }).ended, {
    code: 0, stdout: '{\n  "tenant": "acme"\n}',
  })
  for (const [args, stderr] of [
    [['--set', join(file, 'data.json'), '--if-version', '1'], /has changed since you read it/],
    [['--set', join(file, 'twice.json')], /not valid JSON, or has a member twice/],
    [['--set', join(file, 'list.json')], /must be a JSON object/],
    [['--set', join(file, 'latin-1.json')], /not valid UTF-8/],
    [['--set', join(file, 'missing.json')], /cannot be read/],
    [['--if-version', '1'], /needs --set/],
    [['--set', join(file, 'data.json'), '--if-version', 'x'], /is a number/],
  ] as const) t.match(await userHere(['data', username, ...args]), { code: /[12]/, stderr })
  t.match(JSON.parse((await userHere(['data', username, '--json'])).stdout), { data: { tenant: 'acme' }, version: 2 })
  t.strictSame(await eventsOf(id), ['profile_changed', 'profile_changed'])
})

t.test('user download: what the owner can download, with an event that the owner sees (0)', async t => {
  const { id, username, email } = await createUser(owner)
  const printed = await gatehouse(['user', 'download', username], env).ended
  t.equal(printed.code, 0)
  t.match(JSON.parse(printed.stdout), {
    account: { id, username, email },
    events: [{ what: 'data_exported_by_operator', byOperator: true }],
  })
  t.strictSame(await eventsOf(id), ['data_exported_by_operator'])
  t.match(await user(['download', 'nobody']), { code: 1, stdout: '', stderr: /No such user/ })
})
