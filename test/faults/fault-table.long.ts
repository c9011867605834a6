// Injects the fault of each row in docs/reliability.md into a real service and checks what clients get.
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { withoutFaketime } from '../support/faults/fake-clock.ts'
import { FAULTS } from '../support/faults/fault-table.ts'
import { startFixture } from '../support/faults/fixture.ts'
import { testRow } from '../support/faults/test-row.ts'
import { HANG_TIMEOUT } from '../support/patience.ts'

t.setTimeout(HANG_TIMEOUT)
t.test('the fault table', { skip: withoutRedis, timeout: HANG_TIMEOUT }, async t => {
  const { user, targets, services, crashes } = await startFixture(t)
  for (const row of FAULTS) {
    const skip = row.instance === 'with its own clock' && withoutFaketime
    await t.test(row.fault, { skip, timeout: HANG_TIMEOUT }, async t => {
      const service = services[row.instance ?? 'ordinary']
      if (!service) return t.fail('no such instance')
      await testRow(t, row, { user, crashes, targets: { ...targets, service } })
    })
  }
})
