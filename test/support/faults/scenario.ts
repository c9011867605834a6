import { setTimeout as sleep } from 'node:timers/promises'
import { startCluster, waitUntilHealthy } from './cluster.ts'
import type { Teardown } from './dependencies.ts'
import { audit, countLiveTokens, recordMails } from './final-audit.ts'
import { createGuesser } from './guesser.ts'
import { createRecorder } from './history.ts'
import { randomNetworkFault, randomProcessFault, type Fault } from './random-faults.ts'
import { createRandom, type Random } from './random.ts'
import { addApplication } from './simulated-application.ts'
import { createSimulatedUser, type SimulatedUser } from './simulated-user.ts'

interface Plan {
  seed: number
  steps: number
  /** How many users act concurrently. */
  users: number
  /** How long to wait for promised mails at the end. */
  mailTimeout: number
}

const GUESSERS = ['192.0.2.1', '192.0.2.2']
/** Then a new user takes over, before the limits of mails for a mailbox and of requests for a user are reached. */
const STEPS_PER_USER = 30

/** Runs users, guessers and faults concurrently for a number of steps; then stops the faults and audits the result. */
export async function runScenario (t: Teardown, plan: Plan, progress: (line: string) => void = () => {}) {
  const recorder = createRecorder(`seed-${plan.seed}`)
  const random = createRandom(plan.seed)
  const cluster = await startCluster(t, recorder)
  const recording = { recorder, ports: cluster.services.map(({ proxies }) => proxies.front.port) }
  const application = await addApplication(cluster.database.owner)
  const users: SimulatedUser[] = []
  let steps = 0
  let faults = 0

  const isOver = () => steps >= plan.steps

  function addUser (random: Random): SimulatedUser {
    const user = createSimulatedUser(recording, cluster.mail.mails, random, application)
    users.push(user)
    return user
  }

  async function runUsers (random: Random, first?: SimulatedUser) {
    let next = first
    while (!isOver()) {
      const user = next ?? addUser(random)
      next = undefined
      for (let step = 0; step < STEPS_PER_USER && !isOver(); step++) {
        steps++
        await user.step()
      }
    }
  }

  async function runGuesser (address: string, random: Random) {
    const guesser = createGuesser(recording, address, random)
    while (!isOver()) {
      await guesser.step(users.slice(-plan.users).map(({ name }) => name))
      await sleep(random.between(300, 1_000))
    }
  }

  async function injectFaults (next: () => Fault, random: Random) {
    while (!isOver()) {
      await sleep(random.between(200, 1_500))
      const { what, begin, repair } = next()
      const from = recorder.now()
      await begin()
      await sleep(random.between(100, 3_000))
      await repair()
      recorder.write({ type: 'fault', what, from, until: recorder.now() })
      faults++
    }
  }

  const reporting = setInterval(
    () =>
      progress(
        `${steps} steps, ${faults} faults, ${users.length} users, ${Math.round(recorder.now() / 1000)} s`
      ),
    10_000
  )
  t.teardown(() => clearInterval(reporting))
  const [network, processes] = [random.fork(), random.fork()]
  const onStart = (part: 'redis' | 'service') => recorder.write({ type: 'start', part, at: recorder.now() })
  const enrolled = addUser(random.fork())
  await enrolled.enrol()
  await Promise.all([
    runUsers(random.fork(), enrolled),
    ...Array.from({ length: plan.users - 1 }, () => runUsers(random.fork())),
    ...GUESSERS.map(address => runGuesser(address, random.fork())),
    injectFaults(() => randomNetworkFault(cluster, network), network),
    injectFaults(() => randomProcessFault(cluster, processes, onStart), processes),
  ])

  await waitUntilHealthy(cluster.services, recorder)
  await audit(users)
  await countLiveTokens(cluster.database, recorder)
  await recordMails(cluster.mail, cluster.database, recorder, plan.mailTimeout)
  for (const service of cluster.services) await service.kill()
  clearInterval(reporting)
  return { recorder, steps: plan.steps, faults, users: users.length }
}
