import type { Test } from 'tap'
import { exchanges } from './history-analysis.ts'
import { checksOfEndedSessions, INVARIANTS } from './invariants.ts'
import { runScenario } from './scenario.ts'

/** Runs a scenario and checks its history against every invariant. The history of a failed run is kept. */
export function checkHistory (t: Test, plan: Parameters<typeof runScenario>[1], skip: string | false) {
  const { seed, steps } = plan
  t.test(`${steps} steps with faults, seed ${seed}: no invariant broken`, { skip, timeout: 900_000 }, async t => {
    const { recorder, faults, users } = await runScenario(t, plan, line => console.error(`# ${line}`))
    const history = recorder.read()
    for (const [name, invariant] of Object.entries(INVARIANTS)) t.strictSame(invariant(history), [], name)

    const requests = exchanges(history)
    const failed = requests.filter(({ status }) => status === null || status >= 500)
    t.comment(`${steps} steps, ${users} users, ${faults} faults, ${requests.length} requests, ${failed.length} failed`)
    t.ok(requests.some(({ what, status }) => what === 'login' && status === 202), 'a second factor was asked for')
    // In a short history it depends on the speed of the machine whether a fault meets a request.
    if (steps >= 500) {
      t.ok(failed.length > 0, 'some requests failed because of the faults')
      t.ok(checksOfEndedSessions(history).length > 0, 'ended sessions were checked')
    } else t.ok(faults > 0, 'there were faults')
    if (t.passing()) recorder.remove()
    else t.comment(`history: ${recorder.path}; again: FAULT_SEED=${seed} FAULT_STEPS=${steps} npm test -- faults`)
  })
}
