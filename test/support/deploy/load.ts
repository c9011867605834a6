import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { PASSWORD } from '../browser.ts'
import { isRefused, repeatRefused } from '../repeat-refused.ts'
import type { FrontEnd } from './front-end.ts'
import { createVisitor, type Answer, type Visitor } from './web-client.ts'

type Step = (visitor: Visitor) => Promise<Answer>
interface Failure {
  what: string
  status: number | string
}

const STEPS: Record<string, [expected: number, step: Step]> = {
  access: [204, visitor => visitor.get('/api/auth/verify')],
  // Not /health, whose checks may time out on a busy machine.
  health: [200, visitor => visitor.get('/health/live')],
  refresh: [200, visitor => visitor.post('/api/auth/refresh')],
  registration: [
    201,
    visitor => {
      const username = `new-${randomBytes(8).toString('hex')}`
      return visitor.post('/register', { username, email: `${username}@example.com`, password: PASSWORD })
    },
  ],
}
/** Mostly access checks, as in production. The first user also registers others. */
const ROUND = [
  'access',
  'access',
  'health',
  'access',
  'refresh',
  'access',
  'access',
  'health',
  'access',
  'login',
  'access',
]
const ROUND_OF_THE_FIRST = [...ROUND, 'registration']

/** Pause between two requests of one user: the machine must also start instances. */
const PAUSE = 50

/** Users who sign in and send requests until stopped. */
export function createLoad (t: Test, frontEnd: FrontEnd, users: Array<{ username: string, password: string }>) {
  const tally: Record<string, number> = {}
  const failures: Failure[] = []
  let refusals = 0
  const stopping = new AbortController()

  const people = users.map((user, index) => ({
    user,
    visitor: createVisitor(frontEnd, { address: `127.0.1.${index + 1}`, repeats: false }),
  }))
  for (const { visitor } of people) t.teardown(visitor.leave)

  async function make (what: string, person: (typeof people)[number]): Promise<void> {
    const { user, visitor } = person
    const [expected, step] = STEPS[what] ?? [
      200,
      () => visitor.post('/login', { username: user.username, password: user.password }),
    ]
    const answer = await repeatRefused(async () => {
      const answer = await step(visitor)
      if (isRefused(answer)) refusals++
      return answer
    }).catch(String)
    tally[what] = (tally[what] ?? 0) + 1
    const status = typeof answer === 'string' ? answer : answer.status
    if (status === expected) return
    failures.push({ what, status })
    // A login that was cut has perhaps ended the session before: the user signs in again before anything else.
    if (what === 'login' && !stopping.signal.aborted) {
      await sleep(PAUSE)
      await make(what, person)
    }
  }

  async function live (person: (typeof people)[number], index: number) {
    const round = index === 0 ? ROUND_OF_THE_FIRST : ROUND
    await make('login', person)
    for (let step = index; !stopping.signal.aborted; step++) {
      await make(round[step % round.length] as string, person)
      await sleep(PAUSE)
    }
  }

  const lives = Promise.all(people.map(live))
  const stop = async () => {
    stopping.abort()
    await lives
  }
  t.teardown(stop)

  return {
    failures,
    /** Requests that an instance refused, and that were sent again. */
    refusals: () => refusals,
    tally: () => tally,
    count: () => Object.values(tally).reduce((sum, each) => sum + each, 0),
    stop,
    /** Users whose access token is refused and cannot be refreshed. */
    async whoIsSignedOut (): Promise<string[]> {
      const statuses = await Promise.all(
        people.map(
          async ({ user, visitor }) => [user.username, (await visitor.post('/api/auth/refresh')).status] as const
        )
      )
      return statuses.filter(([, status]) => status !== 200).map(([username]) => username)
    },
  }
}
