// The rows of docs/reliability.md in which another server takes over.
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { startFailoverFixture } from '../support/failover/failover-fixture.ts'
import { FAILOVERS } from '../support/failover/failover-table.ts'
import { withoutHaproxy } from '../support/failover/haproxy.ts'
import { testRow } from '../support/faults/test-row.ts'

t.setTimeout(600_000)
for (const row of FAILOVERS) {
  t.test(row.fault, { skip: withoutRedis || withoutHaproxy, timeout: 200_000 }, async t => {
    const recovered = await testRow(t, row, await startFailoverFixture(t, row.redis ?? 'sentinel'))
    const [, seconds] = row.recovery
    t.ok(recovered <= seconds, `normal again after ${recovered.toFixed(1)} s, at most ${seconds} s`)
  })
}
