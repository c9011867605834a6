// Plays each row of the table in docs/reliability.md on a real service, and sees whether clients get what it says.
import t, { type Test } from 'tap'
import { withoutRedis } from '../support/build.ts'
import { eventually } from '../support/process.ts'
import { withoutFaketime } from '../support/faults/fake-clock.ts'
import { FAULTS, type Expectation, type Health, type Row } from '../support/faults/fault-table.ts'
import { prepareProbes, type Probe } from '../support/faults/probes.ts'
import { openTheatre, type Theatre } from '../support/faults/fixture.ts'
import type { Answer } from '../support/faults/wire.ts'

/** A busy machine may need so much longer, in seconds. */
const SLACK = 3
/** The report follows what happened within this time, in seconds. */
const HEALTH_FOLLOWS = 2

const LOCATIONS: Partial<Record<Expectation[0], string>> = {
  'as always': '/dashboard',
  'to `/login?error=callback_failed`': '/login?error=callback_failed',
  'to `/login?error=provider_a_auth_failed`': '/login?error=provider_a_auth_failed',
}

type Timed = Probe & { answer: Answer | null, seconds: number }

const send = async (probe: Probe): Promise<Timed> => {
  const began = performance.now()
  const answer = await probe.send()
  return { ...probe, answer, seconds: (performance.now() - began) / 1000 }
}

/** Once more, with a new access token. */
const sendRenewed = async (probe: Probe): Promise<Timed> => {
  await probe.renew?.()
  return send(probe)
}

/** What is wrong with an answer, if anything. */
function complaint (
  { name, group, usual, renew, answer, seconds }: Timed,
  [gets, limit]: Expectation
): string | undefined {
  const found = `${name}: ${answer?.status} ${answer?.headers.location ?? answer?.body} after ${seconds.toFixed(1)} s`
  if (!answer || seconds > limit + SLACK) return found
  if (group === 'callback') return answer.headers.location === LOCATIONS[gets] ? undefined : found
  if (gets === '401, then a refresh' && renew) return answer.status === 401 ? undefined : found
  if (gets !== '503 with `Retry-After`') return answer.status === usual ? undefined : found
  const { error } = answer.status === 503 ? JSON.parse(answer.body) : { error: undefined }
  return error === 'Service Unavailable' && Number(answer.headers['retry-after']) > 0 ? undefined : found
}

async function healthOf (port: number): Promise<Health | 'something else'> {
  const answer = await fetch(`http://127.0.0.1:${port}/health`)
  const { checks } = (await answer.json()) as { checks: Record<string, string> }
  if (answer.status === 200) return 'healthy'
  if (checks.database !== 'ok') return checks.cache === 'ok' ? '`database: error`' : 'something else'
  return '`cache: error`'
}

async function play (t: Test, row: Row, { user, stage: parts, services, collapses }: Theatre) {
  const service = services[row.instance ?? 'ordinary']
  if (!service) return t.fail('no such instance')
  const { port, pid } = service
  const stage = { ...parts, service }
  const complaints = (probed: Timed[], expected: Pick<Row, Probe['group']>) =>
    probed.flatMap(each => complaint(each, expected[each.group]) ?? [])
  const usual: Pick<Row, Probe['group']> = {
    access: ['as always', 30],
    records: ['as always', 30],
    limited: ['as always', 30],
    callback: ['as always', 30],
  }

  await eventually(
    () => healthOf(port),
    health => health === 'healthy',
    10_000
  )
  const probes = await prepareProbes(port, user)
  const later = await prepareProbes(port, user)
  let struck = true
  const mend = async () => {
    if (struck) await row.mend(stage)
    struck = false
  }
  t.teardown(mend)
  await row.strike(stage)
  const [probed] = await Promise.all([
    Promise.all(probes.map(send)),
    eventually(
      () => healthOf(port),
      health => health === row.health,
      (HEALTH_FOLLOWS + SLACK) * 1_000
    ),
  ])
  t.strictSame(complaints(probed, row), [], 'clients get what the table says')
  if (row.access[0] === '401, then a refresh') {
    t.strictSame(
      complaints(await Promise.all(probes.filter(({ renew }) => renew).map(sendRenewed)), usual),
      [],
      'and a refresh is all it takes'
    )
  }

  const mailsBefore = parts.mail.mails.length
  await mend()
  const [, seconds] = row.heals
  await eventually(
    () => healthOf(port),
    health => health === 'healthy',
    (seconds + SLACK) * 1_000
  )
  t.strictSame(complaints(await Promise.all(later.map(send)), usual), [], 'and all is well again')
  if (row.mailsWait) {
    await eventually(
      () => parts.mail.mails.length,
      count => count > mailsBefore,
      (seconds + SLACK) * 1_000
    )
  }
  t.equal(service.pid, pid, 'the process is the same')
  t.strictSame(collapses, [])
  t.notMatch(service.output, /nobody caught|unhandled/i)
}

t.setTimeout(600_000)
t.test('the fault table', { skip: withoutRedis, timeout: 600_000 }, async t => {
  const theatre = await openTheatre(t)
  for (const row of FAULTS) {
    const skip = row.instance === 'with a clock of its own' && withoutFaketime
    await t.test(row.fault, { skip, timeout: 120_000 }, t => play(t, row, theatre))
  }
})
