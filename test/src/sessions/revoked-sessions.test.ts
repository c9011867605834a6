import t from 'tap'
import { createRevokedSessions } from '../../../src/sessions/revoked-sessions.ts'

t.test('an entry is forgotten after its lifetime, and is new only once', async t => {
  let now = 0
  const revoked = createRevokedSessions(1_000, () => now)
  t.ok(revoked.add('a'))
  now = 500
  t.ok(revoked.add('b'))
  t.notOk(revoked.add('a'), 'known already')
  now = 1_000
  revoked.forgetOld()
  t.strictSame([revoked.has('a'), revoked.has('b'), revoked.size], [false, true, 1])
  now = 1_500
  revoked.forgetOld()
  t.equal(revoked.size, 0)
})
