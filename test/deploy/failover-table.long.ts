// The rows of docs/reliability.md in which another server takes over.
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { startFailoverFixture } from '../support/failover/failover-fixture.ts'
import { FAILOVERS } from '../support/failover/failover-table.ts'
import { withoutHaproxy } from '../support/failover/haproxy.ts'
import { testRow } from '../support/faults/test-row.ts'
import { HANG_TIMEOUT } from '../support/patience.ts'

t.setTimeout(HANG_TIMEOUT)
for (const row of FAILOVERS) {
  t.test(row.fault, { skip: withoutRedis || withoutHaproxy, timeout: HANG_TIMEOUT }, async t => {
    const recovered = await testRow(t, row, await startFailoverFixture(t, row.redis ?? 'sentinel'))
    const [, seconds] = row.recovery
    t.ok(recovered <= seconds, `normal again after ${recovered.toFixed(1)} s, at most ${seconds} s`)
  })
}
