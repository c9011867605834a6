import { setTimeout as sleep } from 'node:timers/promises'
import { audit, countLiveTokens, recordMails } from './aftermath.ts'
import { createGuesser } from './guesser.ts'
import { createRecorder } from './history.ts'
import type { Ending } from './parts.ts'
import { createPerson, type Person } from './simulated-user.ts'
import { createRandom, type Random } from './random.ts'
import { buildTown, untilHealed } from './cluster.ts'
import { partTrouble, roadTrouble, type Trouble } from './network-faults.ts'

interface Plan {
  seed: number
  steps: number
  /** How many people act at once. */
  people: number
  /** How long promised mails are waited for when all is over. */
  mailPatience: number
}

const GUESSERS = ['192.0.2.1', '192.0.2.2']
/** Then somebody else takes over: a mailbox gets only so many mails an hour, and a user makes only so many requests. */
const STEPS_OF_A_LIFE = 30

/** People, guessers and faults, all at once, until enough has happened; then calm, and an audit of all that was ever acknowledged. */
export async function play (t: Ending, plan: Plan, progress: (line: string) => void = () => {}) {
  const recorder = createRecorder(`seed-${plan.seed}`)
  const random = createRandom(plan.seed)
  const town = await buildTown(t, recorder)
  const street = { recorder, fronts: town.services.map(({ proxies }) => proxies.front.port) }
  const everybody: Person[] = []
  let steps = 0
  let troubles = 0

  const isOver = () => steps >= plan.steps

  async function live (random: Random) {
    while (!isOver()) {
      const person = createPerson(street, town.mail.mails, random)
      everybody.push(person)
      for (let step = 0; step < STEPS_OF_A_LIFE && !isOver(); step++) {
        steps++
        await person.step()
      }
    }
  }

  async function guess (address: string, random: Random) {
    const guesser = createGuesser(street, address, random)
    while (!isOver()) {
      await guesser.step(everybody.slice(-plan.people).map(({ name }) => name))
      await sleep(random.between(300, 1_000))
    }
  }

  async function bring (next: () => Trouble, random: Random) {
    while (!isOver()) {
      await sleep(random.between(200, 1_500))
      const { what, begin, mend } = next()
      const from = recorder.now()
      await begin()
      await sleep(random.between(100, 3_000))
      await mend()
      recorder.write({ type: 'trouble', what, from, until: recorder.now() })
      troubles++
    }
  }

  const reporting = setInterval(
    () =>
      progress(
        `${steps} steps, ${troubles} faults, ${everybody.length} people, ${Math.round(recorder.now() / 1000)} s`
      ),
    10_000
  )
  t.teardown(() => clearInterval(reporting))
  const [roads, parts] = [random.fork(), random.fork()]
  const onLife = (part: 'redis' | 'service') => recorder.write({ type: 'life', part, at: recorder.now() })
  await Promise.all([
    ...Array.from({ length: plan.people }, () => live(random.fork())),
    ...GUESSERS.map(address => guess(address, random.fork())),
    bring(() => roadTrouble(town, roads), roads),
    bring(() => partTrouble(town, parts, onLife), parts),
  ])

  await untilHealed(town, recorder)
  await audit(everybody)
  await countLiveTokens(town, recorder)
  await recordMails(town, recorder, plan.mailPatience)
  for (const service of town.services) await service.kill()
  clearInterval(reporting)
  return { recorder, steps: plan.steps, troubles, people: everybody.length }
}
