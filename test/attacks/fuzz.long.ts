import t from 'tap'
import { fuzz } from '../support/attacks/fuzz.ts'

t.test('fuzz: 8,000 requests to every route, each response as documented', { timeout: 900_000 }, async t => {
  const { seen, operations } = await fuzz(t, 8_000)
  const answered = new Set([...seen.keys()].map(outcome => outcome.split(' ')[0]))
  t.strictSame(
    operations.filter(({ operationId }) => !answered.has(operationId)),
    [],
    'every route got requests'
  )
  for (const outcome of [
    'login 200',
    'register 202',
    'changePassword 204',
    'deleteAccount 204',
    'endOtherSessions 204',
    'refresh 200',
    'logout 204',
    'doSensitive 200',
    'readContent 200',
  ]) { t.ok(seen.get(outcome), outcome) }
})
