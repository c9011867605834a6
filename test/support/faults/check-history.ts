import type { Test } from 'tap'
import { exchanges } from './facts.ts'
import { INVARIANTS } from './invariants.ts'
import { play } from './scenario.ts'

/** Plays a scenario and holds its history against every invariant. The history of a run that fails is kept. */
export function proveHistory (t: Test, plan: Parameters<typeof play>[1], skip: string | false) {
  const { seed, steps } = plan
  t.test(
    `seed ${seed}, ${steps} steps with faults: all that was acknowledged holds`,
    { skip, timeout: 900_000 },
    async t => {
      const { recorder, troubles, people } = await play(t, plan, line => console.error(`# ${line}`))
      const history = recorder.read()
      for (const [name, invariant] of Object.entries(INVARIANTS)) t.strictSame(invariant(history), [], name)

      const asked = exchanges(history)
      const lost = asked.filter(({ status }) => status === null || status >= 500)
      t.comment(
        `${steps} steps of ${people} people, ${asked.length} requests, ${lost.length} of them lost or refused by an outage, ${troubles} faults`
      )
      t.ok(lost.length > 0, 'the faults were felt')
      if (t.passing()) recorder.forget()
      else t.comment(`history: ${recorder.path}; again: FAULT_SEED=${seed} FAULT_STEPS=${steps} npm run test:faults`)
    }
  )
}
