// Injects the fault of each row in docs/reliability.md into a real service and checks what clients get.
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { withoutFaketime } from '../support/faults/fake-clock.ts'
import { FAULTS } from '../support/faults/fault-table.ts'
import { startFixture } from '../support/faults/fixture.ts'
import { testRow } from '../support/faults/test-row.ts'

t.setTimeout(600_000)
t.test('the fault table', { skip: withoutRedis, timeout: 600_000 }, async t => {
  const { user, targets, services, crashes } = await startFixture(t)
  for (const row of FAULTS) {
    const skip = row.instance === 'with its own clock' && withoutFaketime
    await t.test(row.fault, { skip, timeout: 120_000 }, async t => {
      const service = services[row.instance ?? 'ordinary']
      if (!service) return t.fail('no such instance')
      await testRow(t, row, { user, crashes, targets: { ...targets, service } })
    })
  }
})
