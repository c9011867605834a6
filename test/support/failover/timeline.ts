import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { PASSWORD } from '../browser.ts'
import type { FrontEnd } from '../deploy/front-end.ts'
import { createVisitor, type Answer, type Visitor } from '../deploy/web-client.ts'
import { eventually } from '../patience.ts'
import { repeatRefused } from '../repeat-refused.ts'

export const KINDS = ['Access check', 'Refresh', 'Sign-in'] as const
export type Kind = typeof KINDS[number]

interface Observation {
  kind: Kind
  /** When it was sent, in milliseconds. */
  at: number
  took: number
  status: number | 'none'
  retryAfter?: string
}

/** A request that was lost, wrong, or refused however often it was sent again. */
interface Unserved { kind: Kind, status: Observation['status'], from: number, until: number }

/** One stays signed in. The other signs in again and again: that ends a session, even if the response is lost. */
type Pair = Record<'member' | 'newcomer', Visitor>
type Names = Record<keyof Pair, string>

const signIn = (visitor: Visitor, username: string) => visitor.post('/login', { username, password: PASSWORD })

const REQUESTS: Record<Kind, (pair: Pair, names: Names) => Promise<Answer>> = {
  'Access check': ({ member }) => member.get('/api/auth/verify'),
  Refresh: ({ member }) => member.post('/api/auth/refresh'),
  'Sign-in': ({ newcomer }, names) => signIn(newcomer, names.newcomer),
}
const PAUSE = 40

/** Pairs of users behind the front end who send requests of each kind until stopped, and again what is refused. */
export async function observe (t: Test, frontEnd: FrontEnd, pairs: Names[]) {
  const observations: Observation[] = []
  const unserved: Unserved[] = []
  const ending = new AbortController()

  function arrive (address: string): Visitor {
    const visitor = createVisitor(frontEnd, { address, repeats: false })
    t.teardown(visitor.leave)
    return visitor
  }

  async function act (names: Names, index: number) {
    const address = `127.0.2.${index + 1}`
    const pair = { member: arrive(address), newcomer: arrive(address) }
    // Without a session, everything that follows would be 401 until the end.
    await eventually(() => signIn(pair.member, names.member), ({ status }) => status === 200)
    async function send (kind: Kind) {
      const at = performance.now()
      const answer = await REQUESTS[kind](pair, names).catch(() => undefined)
      observations.push({
        kind,
        at,
        took: performance.now() - at,
        status: answer?.status ?? 'none',
        retryAfter: answer?.headers['retry-after'],
      })
      return answer
    }
    while (!ending.signal.aborted) {
      for (const kind of KINDS) {
        const from = performance.now()
        const { status = 'none' } = await repeatRefused(() => send(kind)) ?? {}
        if (!succeeded({ status })) unserved.push({ kind, status, from, until: performance.now() })
        await sleep(PAUSE)
      }
    }
  }

  const acting = Promise.all(pairs.map(act))
  const stop = async () => {
    ending.abort()
    await acting
  }
  t.teardown(() => ending.abort())
  return { observations, unserved, stop }
}

export const succeeded = ({ status }: Pick<Observation, 'status'>) => status === 200 || status === 204

export interface Second { second: number, kind: Kind, ok: number, failed: number }

/** How many responses in each second since `zero` were a success, and how many a failure. */
export function bySecond (observations: Observation[], zero: number): Second[] {
  const seconds = new Map<string, Second>()
  for (const observation of observations) {
    const second = Math.floor((observation.at + observation.took - zero) / 1_000)
    const key = `${second} ${observation.kind}`
    const counted = seconds.get(key) ?? { second, kind: observation.kind, ok: 0, failed: 0 }
    if (succeeded(observation)) counted.ok++
    else counted.failed++
    seconds.set(key, counted)
  }
  return [...seconds.values()].sort((a, b) => a.second - b.second)
}
