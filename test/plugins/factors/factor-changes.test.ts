import type { FastifyInstance } from 'fastify'
import root from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build } from '../../support/build.ts'
import { addTotp } from '../../support/second-factor.ts'

const RACES = 5

/** A route that removes a passkey as the service does, and nothing else. */
function removal (app: FastifyInstance) {
  app.register(async function (app) {
    app.delete<{ Params: { id: string } }>('/test/passkeys/:id', {
      onRequest: (request, reply, done) => app.authenticate(request, reply, done),
    }, async function remove (request) {
      await app.factorChanges.run(request, 'passkey_removed', client =>
        client.query('DELETE FROM passkeys WHERE id = $1 AND user_id = $2', [request.params.id, request.user.userId]))
      return {}
    })
  })
}

async function start (settings = {}) {
  const { app, owner } = await build(root, { settings: { ...NO_LIMITS, ...settings }, before: removal })
  const addPasskey = (userId: string, id: string) => owner.query(`
    INSERT INTO passkeys (id, user_id, public_key, device_type, backed_up, name)
    VALUES ($1, $2, '\\x00', 'singleDevice', false, 'key')`, [id, userId])
  return { app, owner, addPasskey }
}

let shared: ReturnType<typeof start> | undefined
const setUp = () => (shared ??= start())

root.test('the last way in cannot be removed, also by two requests at once that each remove one of two', async t => {
  const { app, owner, addPasskey } = await setUp()
  for (let race = 0; race < RACES; race++) {
    const user = await createUser(owner)
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    await owner.query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id])
    for (const id of ['one', 'two']) await addPasskey(user.id, `${id}-${user.id}`)
    const answers = await Promise.all(['one', 'two'].map(id =>
      browser.send('DELETE', `/test/passkeys/${id}-${user.id}`)))
    t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [200, 409])
    t.equal((await owner.query('SELECT FROM passkeys WHERE user_id = $1', [user.id])).rowCount, 1)
    const { rows } = await owner.query("SELECT FROM auth_events WHERE user_id = $1 AND what = 'passkey_removed'",
      [user.id])
    t.equal(rows.length, 1, 'what was refused is not recorded')
  }
})

root.test('SECOND_FACTOR=required: nor the last second factor, by two at once', async t => {
  const { app, owner, addPasskey } = await start({ SECOND_FACTOR: 'required' })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await addPasskey(user.id, 'one')
  await addTotp(owner, user.id)
  await owner.query("UPDATE refresh_tokens SET auth_time = now(), amr = '{pwd,otp,mfa}'")
  await browser.refresh()
  const answers = await Promise.all([
    browser.send('DELETE', '/test/passkeys/one'),
    browser.guarded('DELETE', '/api/auth/factors/totp'),
  ])
  const done = answers.filter(({ statusCode }) => statusCode < 300)
  t.equal(done.length, 1, answers.map(({ body }) => body).join())
  t.strictSame(answers.filter(answer => !done.includes(answer)).map(({ statusCode }) => statusCode), [409])
})

root.test('a login that was checked before a factor was added opens no session', async t => {
  const { app, owner } = await setUp()
  const { id } = await createUser(owner)
  const user = await app.users.findById(id)
  await addTotp(owner, id)
  const session = app.sessionTokens.first(id)
  const client = { ip: '192.0.2.1', userAgent: '' }
  if (!user) throw new Error('no user')
  const add = (account: typeof user) =>
    app.sessionsStore.add(app.database, session, { refreshToken: 'token', client, account, amr: ['pwd'] })
  t.equal(await add(user), false)
  t.equal(await add(await app.users.findById(id) ?? user), true)
})
