import t from 'tap'
import { DEMO_USER, seed } from '../../demo/seed.ts'
import { createDatabase, TEST_COST } from '../support/build.ts'

t.test('the demo user is added once, also after it has changed its address or its username', async t => {
  const { owner, settings } = await createDatabase(t)
  const start = () => seed({ ...settings, BCRYPT_COST: TEST_COST })
  const users = async () => (await owner.query('SELECT username, email FROM users')).rows
  await start()
  t.strictSame(await users(), [{ username: DEMO_USER.username, email: DEMO_USER.email }])
  for (const change of ["email = 'Moved@example.org'", "username = 'DEMO'", "email = 'Demo@example.com'"]) {
    await owner.query(`UPDATE users SET ${change}`)
    const before = await users()
    await start()
    t.strictSame(await users(), before, change)
  }
  await owner.query("UPDATE users SET username = 'renamed'")
  await start()
  t.equal((await users()).length, 1)
})
