import type { Results } from '../figures/results.ts'
import { refreshTable } from './refresh-table.ts'
import { markdownTables, number, row } from './table.ts'

/** A machine that is always busy has no reserve for a peak. */
const BUSY = 0.7
/** To Redis, from a known browser. */
const COMMANDS_A_LOGIN = 8
const EXAMPLE = {
  logins: 10_000,
  users: 100_000_000,
  /** Browsers in which a user is signed in. */
  sessions: 2,
  activeShare: 0.1,
  refreshEvery: 900,
  checks: 100_000,
}

/** The tables of docs/capacity.md and bench/results.md, each for its place there. */
export function capacityBlocks (all: Results): Record<string, string> {
  const { cores } = all.machine
  const figure = (id: string, label: string) =>
    all.results.find(result => result.id === id)?.figures.find(each => each.label === label)?.median ?? NaN

  const logins = (cost: number) => figure(`logins-cost-${cost}`, 'Gatehouse') / cores
  const checks = figure('access', 'Gatehouse')
  const refreshes = figure('refresh', 'Gatehouse')
  const postgresMs = {
    login: figure('logins-cost-12', 'PostgreSQL, processor time of a login'),
    refresh: figure('refresh', 'PostgreSQL, processor time of a refresh'),
  }
  const redisMs = {
    login: figure('logins-cost-12', 'Redis, processor time of a login'),
    refresh: figure('refresh', 'Redis, processor time of a refresh'),
  }
  const ratioOf = (id: string, label: string) =>
    all.results.find(result => result.id === id)?.ratios.find(each => each.label === label)?.median ?? NaN
  // By their ratios: they were measured with another client.
  const openid = (kind: string) => refreshes * ratioOf('openid', `${kind} ÷ our own refresh`)
  const bytes = { user: figure('growth', 'on disk, a user'), session: figure('growth', 'on disk, a session') }

  const perSecond = (EXAMPLE.users * EXAMPLE.activeShare) / EXAMPLE.refreshEvery
  const coresFor = (wanted: number, each: number) => Math.ceil(wanted / each / BUSY)
  const coresBeside = coresFor(perSecond, refreshes) + coresFor(EXAMPLE.checks, checks)
  const coresInAll = (cost: number) => number(coresFor(EXAMPLE.logins, logins(cost)) + coresBeside)
  const signInsPerSecond = (EXAMPLE.users * EXAMPLE.sessions) / (30 * 24 * 60 * 60)
  const coresBehind = (ms: { login: number, refresh: number }) =>
    number(Math.ceil((EXAMPLE.logins * ms.login + perSecond * ms.refresh) / 1_000 / BUSY))

  return {
    'one core': [
      row('Work', 'One core gives', 'What limits it'),
      '|---|---:|---|',
      row('logins, `BCRYPT_COST=12` (the default)', `${number(logins(12))}/s`, 'bcrypt, on purpose'),
      row('logins, `BCRYPT_COST=10`', `${number(logins(10))}/s`, 'bcrypt'),
      row('access checks (`/api/auth/verify`)', `${number(checks)}/s`, 'HTTP itself'),
      row('refreshes', `${number(refreshes)}/s`, 'the event loop'),
      row('OpenID: refreshes of applications', `${number(openid('refresh of an application'))}/s`, 'the event loop'),
      row('OpenID: sign-ins of users who have a session', `${number(openid('code and exchange'))}/s`, 'the event loop'),
      row('OpenID: tokens for machines', `${number(openid('client credentials'))}/s`, 'the event loop'),
      row('OpenID: introspections', `${number(openid('introspection'))}/s`, 'the event loop'),
      row('PostgreSQL, for a login', `${number(postgresMs.login)} ms`, 'two rows and a commit'),
      row('PostgreSQL, for a refresh', `${number(postgresMs.refresh)} ms`, 'one row and a commit'),
      row('Redis, for a login', `${number(redisMs.login)} ms`,
        'seven commands of one key each, eight from a known browser'),
      row('Redis, for a refresh', `${number(redisMs.refresh)} ms`, 'one script'),
    ].join('\n'),

    example: [
      row('Part', 'Needs', 'Because'),
      '|---|---:|---|',
      row(
        'Gatehouse, cost 12',
        `${coresInAll(12)} cores`,
        `${number(EXAMPLE.logins)} logins a second ÷ ${number(logins(12))} a core ÷ ${BUSY}; ` +
          'with refreshes and access checks'
      ),
      row(
        'Gatehouse, cost 10',
        `${coresInAll(10)} cores`,
        `the same, ÷ ${number(logins(10))} a core`
      ),
      row(
        'of these for refreshes',
        `${number(coresFor(perSecond, refreshes))} cores`,
        `${number(perSecond)} a second: a tenth of the users active, each every ${EXAMPLE.refreshEvery / 60} minutes`
      ),
      row(
        'of these for access checks',
        `${number(coresFor(EXAMPLE.checks, checks))} cores`,
        `${number(EXAMPLE.checks)} a second`
      ),
      row(
        'in addition for OpenID applications',
        `${number(coresFor(perSecond, openid('refresh of an application')) +
          coresFor(EXAMPLE.logins, openid('code and exchange')))} cores`,
        'if each login leads on to an application, and each active user has one that refreshes every ' +
          `${EXAMPLE.refreshEvery / 60} minutes`
      ),
      row(
        'PostgreSQL primary',
        `${coresBehind(postgresMs)} cores`,
        `${number(EXAMPLE.logins + perSecond)} commits a second`
      ),
      row(
        'Redis',
        `${coresBehind(redisMs)} cores`,
        `${number(EXAMPLE.logins * COMMANDS_A_LOGIN + perSecond)} commands a second; a node of a cluster uses one core`
      ),
      row(
        'users on disk',
        `${number((EXAMPLE.users * bytes.user) / 2 ** 30)} GB`,
        `${number(bytes.user)} bytes each, with indexes`
      ),
      row(
        'sessions on disk',
        `${number((EXAMPLE.users * EXAMPLE.sessions * bytes.session) / 2 ** 30)} GB`,
        `${number(bytes.session)} bytes each, with indexes, ${EXAMPLE.sessions} a user in 30 days: on average ` +
          `${number(signInsPerSecond)} sign-ins a second. Refreshes add none`
      ),
    ].join('\n'),

    refresh: refreshTable(figure),

    results: markdownTables(all),
  }
}

/** Inserts each block between its markers. */
export function fillBlocks (page: string, blocks: Record<string, string>): string {
  return page.replace(/(<!-- bench: ([\w ]+) -->\n)[^]*?(<!-- end -->)/g, (whole, from, name, to) =>
    name in blocks ? `${from}${blocks[name]}\n${to}` : whole
  )
}
