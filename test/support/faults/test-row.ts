import type { Test } from 'tap'
import { eventually } from '../patience.ts'
import { isRefused, repeatRefused } from '../repeat-refused.ts'
import type { MailServer } from './dependencies.ts'
import type { Expectation, Health, Row } from './fault-table.ts'
import type { HttpResponse } from './http-request.ts'
import { prepareProbes, type Probe } from './probes.ts'
import { UNCAUGHT_ERROR, type Service } from './service.ts'

/** Extra seconds, for the other processes of the test. */
const SLACK = 3

const LOCATIONS: Partial<Record<Expectation[0], string>> = {
  normal: '/dashboard',
  'to `/login?error=callback_failed`': '/login?error=callback_failed',
  'to `/login?error=provider_a_auth_failed`': '/login?error=provider_a_auth_failed',
}

/** What every row is tested on. */
interface TestedTargets { service: Service, mail: Pick<MailServer, 'mails'> }

interface Stage<T extends TestedTargets> {
  user: { username: string, email: string }
  targets: T
  /** Processes that ended by themselves. */
  crashes: string[]
}

/** `seconds`: of the last attempt. */
type Probed = Probe & { response: HttpResponse | null, seconds: number }

type Expected = Pick<Row, Probe['group']>

/** What an overloaded service rightly responds: nothing is lost, and the client tries again. */
const isRefusal = (response: HttpResponse | null): boolean =>
  isRefused(response) || response?.headers.location === LOCATIONS['to `/login?error=callback_failed`']

const mayBeRefused = ({ renew }: Probe, [outcome]: Expectation) =>
  outcome === '503 with `Retry-After`' || outcome === 'to `/login?error=callback_failed`' ||
  (outcome === 'access checks: 503 with `Retry-After`' && renew !== undefined)

/** Sends a request, and again while it is refused, unless the row expects that. */
async function send (probe: Probe, expected: Expected): Promise<Probed> {
  const expectsRefusal = mayBeRefused(probe, expected[probe.group])
  let attempt = probe.send
  let start = 0
  const response = await repeatRefused(() => {
    const request = attempt
    attempt = probe.again
    start = performance.now()
    return request()
  }, response => !expectsRefusal && isRefusal(response))
  return { ...probe, response, seconds: (performance.now() - start) / 1_000 }
}

/** Sends the request again with a new access token. */
async function sendRenewed (probe: Probe, expected: Expected): Promise<Probed> {
  await probe.renew?.()
  return send(probe, expected)
}

/** What is wrong with a response, if anything. One that does not come within half a minute is missing. */
function problemWith ({ name, group, usual, renew, response }: Probed, [outcome]: Expectation): string | undefined {
  const found = `${name}: ${response?.status} ${response?.headers.location ?? response?.body}`
  if (!response) return found
  if (group === 'callback') return response.headers.location === LOCATIONS[outcome] ? undefined : found
  if (outcome === '401, then a refresh' && renew) return response.status === 401 ? undefined : found
  const fails = outcome === '503 with `Retry-After`' || (outcome === 'access checks: 503 with `Retry-After`' && renew)
  if (!fails) return response.status === usual ? undefined : found
  const { error } = response.status === 503 ? JSON.parse(response.body) : { error: undefined }
  return error === 'Service Unavailable' && Number(response.headers['retry-after']) > 0 ? undefined : found
}

const slower = (probed: Probed[], row: Expected) => probed
  .filter(({ group, seconds }) => seconds > row[group][1] + SLACK)
  .map(({ name, group, seconds }) => `${name}: ${seconds.toFixed(1)} s, documented ${row[group][1]} s`)

async function healthOf (port: number): Promise<Health | 'something else'> {
  const response = await fetch(`http://127.0.0.1:${port}/health`)
  const { checks } = (await response.json()) as { checks: Record<string, string> }
  if (response.status === 200) return 'healthy'
  if (checks.database !== 'ok') return checks.cache === 'ok' ? '`database: error`' : 'something else'
  return '`cache: error`'
}

async function unreadyReasonOf (port: number): Promise<string | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`)
  return ((await response.json()) as { reason?: string }).reason
}

/**
 * Injects the fault of a row and checks what clients get, then repairs it and checks the recovery.
 * Returns the seconds that it took.
 */
export async function testRow<T extends TestedTargets> (
  t: Test,
  row: Row<T>,
  { user, targets, crashes }: Stage<T>
): Promise<number> {
  const { service, mail: { mails } } = targets
  const { port, pid } = service
  const problems = (probed: Probed[], expected: Expected) =>
    probed.flatMap(each => problemWith(each, expected[each.group]) ?? [])
  const usual: Expected = {
    access: ['normal', 30],
    records: ['normal', 30],
    limited: ['normal', 30],
    callback: ['normal', 30],
  }

  await eventually(() => healthOf(port), health => health === 'healthy')
  const probes = await prepareProbes(port, user)
  const later = await prepareProbes(port, user)
  let injected = true
  const repair = async () => {
    if (injected) await row.repair(targets)
    injected = false
  }
  t.teardown(repair)
  await row.inject(targets)
  const [probed] = await Promise.all([
    Promise.all(probes.map(probe => send(probe, row))),
    eventually(() => healthOf(port), health => health === row.health),
    eventually(() => unreadyReasonOf(port), reason => reason === row.ready),
  ])
  t.strictSame(problems(probed, row), [], 'clients get what the table says')
  t.strictSame(slower(probed, row), [], 'in the time that the table says')
  if (row.access[0] === '401, then a refresh') {
    const renewable = probes.filter(({ renew }) => renew)
    const renewed = await Promise.all(renewable.map(probe => sendRenewed(probe, usual)))
    t.strictSame(problems(renewed, usual), [], 'normal again after a refresh')
  }

  const mailsBefore = mails.length
  await repair()
  const repairedAt = performance.now()
  await eventually(() => healthOf(port), health => health === 'healthy')
  await eventually(() => unreadyReasonOf(port), reason => reason === undefined)
  const recovered = (performance.now() - repairedAt) / 1_000
  const [, seconds] = row.recovery
  t.ok(recovered <= seconds + SLACK, `normal again after ${recovered.toFixed(1)} s, documented ${seconds} s`)
  const repaired = await Promise.all(later.map(probe => send(probe, usual)))
  t.strictSame(problems(repaired, usual), [], 'normal again after the fault')
  if (row.mailsWait) await eventually(() => mails.length, count => count > mailsBefore)
  t.equal(service.pid, pid, 'the process is the same')
  t.strictSame(crashes, [])
  t.notMatch(service.output, UNCAUGHT_ERROR)
  return recovered
}
