import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { eventually, isLate } from '../patience.ts'
import type { MailServer } from './dependencies.ts'
import type { Expectation, Health, Row } from './fault-table.ts'
import type { HttpResponse } from './http-request.ts'
import { prepareProbes, type Probe } from './probes.ts'
import { UNCAUGHT_ERROR, type Service } from './service.ts'

/** Extra seconds, for other work of an idle machine. */
const SLACK = 3
/** Milliseconds before a request that was refused is sent again. */
const PAUSE = 200
/** Seconds until /health shows a change. */
const HEALTH_DELAY = 2

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

type Timed = Probe & { response: HttpResponse | null, seconds: number }

type Expected = Pick<Row, Probe['group']>

async function time (probe: Probe, request: () => Promise<HttpResponse | null>): Promise<Timed> {
  const start = performance.now()
  const response = await request()
  return { ...probe, response, seconds: (performance.now() - start) / 1_000 }
}

/** What an overloaded service rightly responds: nothing is lost, and the client tries again. */
function isRefusal (response: HttpResponse | null): boolean {
  if (response?.status === 503) return Number(response.headers['retry-after']) > 0
  return response?.headers.location === LOCATIONS['to `/login?error=callback_failed`']
}

const mayBeRefused = ({ renew }: Probe, [outcome]: Expectation) =>
  outcome === '503 with `Retry-After`' || outcome === 'to `/login?error=callback_failed`' ||
  (outcome === 'access checks: 503 with `Retry-After`' && renew !== undefined)

/** Sends a request again while a starved service refuses it, for as long as the speed of the machine explains. */
async function send (probe: Probe, expected: Expected): Promise<Timed> {
  const start = performance.now()
  const expectation = expected[probe.group]
  let timed = await time(probe, probe.send)
  while (!mayBeRefused(probe, expectation) && isRefusal(timed.response)) {
    if (isLate(performance.now() - start, (expectation[1] + SLACK) * 1_000)) break
    await sleep(PAUSE)
    timed = await time(probe, probe.again)
  }
  return timed
}

/** Sends the request again with a new access token. */
async function sendRenewed (probe: Probe, expected: Expected): Promise<Timed> {
  await probe.renew?.()
  return send(probe, expected)
}

/** What is wrong with a response, if anything. */
function problemWith (
  { name, group, usual, renew, response, seconds }: Timed,
  [outcome, limit]: Expectation
): string | undefined {
  const body = response?.headers.location ?? response?.body
  const found = `${name}: ${response?.status} ${body} after ${seconds.toFixed(1)} s`
  if (!response || isLate(seconds * 1_000, (limit + SLACK) * 1_000)) return found
  if (group === 'callback') return response.headers.location === LOCATIONS[outcome] ? undefined : found
  if (outcome === '401, then a refresh' && renew) return response.status === 401 ? undefined : found
  const fails = outcome === '503 with `Retry-After`' || (outcome === 'access checks: 503 with `Retry-After`' && renew)
  if (!fails) return response.status === usual ? undefined : found
  const { error } = response.status === 503 ? JSON.parse(response.body) : { error: undefined }
  return error === 'Service Unavailable' && Number(response.headers['retry-after']) > 0 ? undefined : found
}

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
  const problems = (probed: Timed[], expected: Expected) =>
    probed.flatMap(each => problemWith(each, expected[each.group]) ?? [])
  const usual: Expected = {
    access: ['normal', 30],
    records: ['normal', 30],
    limited: ['normal', 30],
    callback: ['normal', 30],
  }

  await eventually(
    () => healthOf(port),
    health => health === 'healthy',
    10_000
  )
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
    eventually(
      () => healthOf(port),
      health => health === row.health,
      (HEALTH_DELAY + SLACK) * 1_000
    ),
    eventually(
      () => unreadyReasonOf(port),
      reason => reason === row.ready,
      (HEALTH_DELAY + SLACK) * 1_000
    ),
  ])
  t.strictSame(problems(probed, row), [], 'clients get what the table says')
  if (row.access[0] === '401, then a refresh') {
    const renewable = probes.filter(({ renew }) => renew)
    const renewed = await Promise.all(renewable.map(probe => sendRenewed(probe, usual)))
    t.strictSame(problems(renewed, usual), [], 'normal again after a refresh')
  }

  const mailsBefore = mails.length
  await repair()
  const repairedAt = performance.now()
  const [, seconds] = row.recovery
  await eventually(
    () => healthOf(port),
    health => health === 'healthy',
    (seconds + SLACK) * 1_000
  )
  await eventually(
    () => unreadyReasonOf(port),
    reason => reason === undefined,
    (seconds + SLACK) * 1_000
  )
  const recovered = (performance.now() - repairedAt) / 1_000
  const repaired = await Promise.all(later.map(probe => send(probe, usual)))
  t.strictSame(problems(repaired, usual), [], 'normal again after the fault')
  if (row.mailsWait) {
    await eventually(
      () => mails.length,
      count => count > mailsBefore,
      (seconds + SLACK) * 1_000
    )
  }
  t.equal(service.pid, pid, 'the process is the same')
  t.strictSame(crashes, [])
  t.notMatch(service.output, UNCAUGHT_ERROR)
  return recovered
}
