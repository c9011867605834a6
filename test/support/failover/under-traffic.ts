import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { pg } from '../build.ts'
import { waitUntilHealthy } from '../faults/cluster.ts'
import type { MailServer, ServiceDependencies, Teardown } from '../faults/dependencies.ts'
import { audit, countLiveTokens, recordMails } from '../faults/final-audit.ts'
import { exchanges, isDone } from '../faults/history-analysis.ts'
import { createRecorder, type Entry, type Recorder } from '../faults/history.ts'
import { INVARIANTS } from '../faults/invariants.ts'
import { createRandom, type Random } from '../faults/random.ts'
import { startService } from '../faults/service.ts'
import { addApplication } from '../faults/simulated-application.ts'
import { createSimulatedUser, type SimulatedUser } from '../faults/simulated-user.ts'
import { missingEvents } from './acknowledged-events.ts'
import { finishedMails } from './mail-jobs.ts'

const INSTANCES = 2
const CONCURRENT_USERS = 4
/** Then a new user takes over, before the limits of a mailbox are reached. */
const STEPS_PER_USER = 25
const MAIL_TIMEOUT = 40_000

interface TrafficPlan {
  name: string
  parts: ServiceDependencies & { mail: MailServer }
  owner: pg.Pool
  settings?: Record<string, string>
}

/**
 * Instances with users who register, sign in, also to an application, refresh and sign out until the end, all of it
 * recorded.
 */
export async function startTraffic (t: Teardown, { name, parts, owner, settings = {} }: TrafficPlan) {
  const recorder = createCountingRecorder(name)
  const onCrash = (what: string) => recorder.write({ type: 'crash', what, at: recorder.now() })
  recorder.write({ type: 'start', part: 'redis', at: 0 })
  const services = await Promise.all(Array.from({ length: INSTANCES }, () => {
    recorder.write({ type: 'start', part: 'service', at: 0 })
    return startService(t, parts, { LIMIT_ACCOUNT_MAX: '100000', OPENID: 'on', ...settings }, onCrash)
  }))
  const recording = { recorder, ports: services.map(({ port }) => port) }
  const application = await addApplication(owner)
  const random = createRandom(1)
  const users: SimulatedUser[] = []
  const ending = new AbortController()

  async function act (random: Random) {
    while (!ending.signal.aborted) {
      const user = createSimulatedUser(recording, parts.mail.mails, random, application)
      users.push(user)
      for (let step = 0; step < STEPS_PER_USER && !ending.signal.aborted; step++) {
        await user.step()
        await sleep(random.between(20, 100))
      }
    }
  }

  const acting = Promise.all(Array.from({ length: CONCURRENT_USERS }, () => act(random.fork())))
  const stop = async () => {
    ending.abort()
    await acting
  }
  t.teardown(stop)

  return {
    recorder,
    services,
    /** Requests that succeeded so far. */
    successes: recorder.successes,

    /**
     * Stops, tries every password and token that was ever acknowledged, and checks the history. A mail may be sent once
     * more for each time that it was in flight while an instance lost its connections.
     */
    async check (t: Test, owner: pg.Pool, inFlight: string[] = []) {
      await stop()
      await waitUntilHealthy(services, recorder)
      await audit(users)
      await countLiveTokens({ owner }, recorder)
      await recordMails(parts.mail, { owner }, recorder, MAIL_TIMEOUT)
      const mails = await finishedMails(owner, parts.mail.mails)
      for (const service of services) await service.kill()
      t.strictSame(mails.filter(({ due, copies }) => due && copies === 0), [], 'every queued mail is sent')
      const timesInFlight = (job: string) => inFlight.filter(id => id === job).length
      t.strictSame(mails.filter(({ id, copies }) => copies > 1 + timesInFlight(id)), [], 'and no other mail twice')
      const history = recorder.read()
      for (const [name, invariant] of Object.entries(INVARIANTS)) t.strictSame(invariant(history), [], name)
      t.strictSame(await missingEvents(owner, exchanges(history)), [], 'every acknowledged event is recorded')
      const again = mails.filter(({ copies }) => copies > 1)
      t.comment(summary(recorder, users.length), `${mails.length} mails, ${again.length} of them more than once`)
      if (t.passing()) recorder.remove()
      else t.comment(`history: ${recorder.path}`)
    },
  }
}

function createCountingRecorder (name: string) {
  const recorder = createRecorder(name)
  let successes = 0
  return {
    ...recorder,
    write (entry: Entry) {
      if (entry.type === 'exchange' && isDone(entry)) successes++
      recorder.write(entry)
    },
    successes: () => successes,
  }
}

function summary (recorder: Recorder, users: number): string {
  const all = exchanges(recorder.read())
  const failed = all.filter(({ status }) => status === null || status >= 500)
  return `${users} users, ${all.length} requests, ${failed.length} of them failed`
}
