import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { createDatabase, JWT_SECRET } from '../../support/build.ts'
import { gatehouse } from '../../support/process.ts'

t.test('user: waiting jobs are left to the service', async t => {
  const { owner, settings } = await createDatabase(t)
  const { username } = await createUser(owner)
  await createUser(owner, { username: 'unconfirmed', email_verified_at: null })
  await owner.query("UPDATE users SET created_at = now() - interval '8 days'")
  await owner.query(`
    INSERT INTO pgboss.job (name, data) VALUES
      ('purge', NULL),
      ('mail', '{"kind":"password-changed","email":"${username}@example.com"}')`)

  const env = { ...settings, NODE_ENV: 'test', JWT_SECRET }
  t.match(await gatehouse(['user', 'show', username], env).ended, { code: 0 })
  t.match(await gatehouse(['user', 'set-password', username], env, { input: 'velvet-Anchor-77-moss!' }).ended, {
    code: 0,
  })

  const { rows } = await owner.query('SELECT name, state FROM pgboss.job ORDER BY name')
  t.strictSame(
    rows,
    ['mail', 'mail', 'purge'].map(name => ({ name, state: 'created' }))
  )
  t.equal((await owner.query("SELECT FROM users WHERE username = 'unconfirmed'")).rowCount, 1)
})
