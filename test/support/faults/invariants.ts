import { APPLICATION_INVARIANTS } from './application-invariants.ts'
import { exchanges, isDone, isRefused, opensSession, passwordsOf, sessionOf } from './history-analysis.ts'
import type { Entry, Exchange, MailKind } from './history.ts'

/** Reads a history and returns the violations. */
export type Invariant = (history: Entry[]) => string[]

const describe = ({ what, person, status, from, until }: Exchange) =>
  `${what} by ${person} at ${from}–${until} (${status})`
const by = <T>(entries: T[], key: (entry: T) => string | undefined) =>
  Object.groupBy(entries, entry => key(entry) ?? '') as Record<string, T[]>

/** A request without a response may still be processed later. */
const mayOverlap = (one: Exchange, other: Exchange) =>
  one.from <= other.until && (one.status === null || one.status >= 500 || one.until >= other.from)

/** Only the password of the last acknowledged registration, change or reset works. */
export const acknowledgedPasswordsHold: Invariant = history => {
  const all = exchanges(history)
  return all
    .filter(({ what, password }) => password && (what === 'login' || what === 'change'))
    .flatMap(exchange => {
      const { person, password = '', status, what } = exchange
      const passwords = passwordsOf(all, person)
      if (isDone(exchange) && passwords.isGone(password, exchange.from)) {
        return [`${describe(exchange)} succeeded with a replaced password`]
      }
      const wrong = what === 'login' ? status === 401 : status === 403
      // A factor that is added meanwhile ends a login that was checked without it.
      if (all.some(each => each.person === person && each.what === 'confirm-totp' && mayOverlap(each, exchange))) {
        return []
      }
      if (wrong && passwords.isSure(password, exchange) && passwords.isVerified(exchange.from)) {
        return [`${describe(exchange)} was refused with the acknowledged password`]
      }
      return []
    })
}

export const everyUserCanSignIn: Invariant = history => {
  const all = exchanges(history)
  const audited = by(
    all.filter(({ what, audit }) => what === 'login' && audit),
    ({ person }) => person
  )
  return Object.entries(audited)
    .filter(([person, logins]) => passwordsOf(all, person).isVerified(logins[0]!.from) && !logins.some(isDone))
    .map(([person]) => `no password of ${person} works`)
}

/** A request that needs a session gets a 401 only if the session may have ended. */
export const acknowledgedSessionsHold: Invariant = history => {
  const all = exchanges(history)
  return all
    .filter(({ family, status, what }) => family && status === 401 && what !== 'login' && what !== 'second-step')
    .flatMap(exchange =>
      sessionOf(all, exchange.family as string).mayHaveEnded(exchange.until)
        ? []
        : [`${describe(exchange)} was refused, but nothing ended the session`]
    )
}

/** The browser that sent a proof goes on with the session that replaced its own. */
export const lostProofsSignNobodyOut: Invariant = history => {
  const all = exchanges(history)
  return all
    .filter(({ what, family, status, hasProofKey }) => what === 'refresh' && family && hasProofKey && status === 401)
    .filter(({ family, from }) => sessionOf(all, family as string).wasOnlyReplaced(from))
    .map(exchange => `${describe(exchange)} was refused after a proof whose response was lost`)
}

/** After an acknowledged second factor, no password alone opens a session. */
export const secondFactorHolds: Invariant = history => {
  const all = exchanges(history)
  const added = all.filter(exchange => exchange.what === 'confirm-totp' && isDone(exchange))
  return all
    .filter(exchange => exchange.what === 'login' && exchange.newFamily)
    .filter(({ person, from }) => added.some(factor => factor.person === person && factor.until <= from))
    .map(exchange => `${describe(exchange)} opened a session without the second factor`)
}

/** Neither after an acknowledged end of the session, nor after a refused refresh. */
export const endedSessionsIssueNoTokens: Invariant = history => {
  const all = exchanges(history)
  return all
    .filter(exchange => exchange.what === 'refresh' && exchange.family && isDone(exchange))
    // A token of the session that replaced it, for the browser that sent the proof.
    .filter(({ family, newFamily = family, hasProofKey }) => family === newFamily || !hasProofKey)
    .flatMap(exchange => {
      const session = sessionOf(all, exchange.family as string)
      const refused = session.refreshes.some(({ status, until }) => status === 401 && until <= exchange.from)
      const ended = refused || session.isEnded(exchange.from)
      return ended ? [`${describe(exchange)} got a token from an ended session`] : []
    })
}

/** After this time, an access token of an ended session is refused. */
const REVOCATION_DELAY = 2_000
/** How long after a fault of PostgreSQL the revocations may still be late. */
const FEED_RECOVERY = 10_000

/** Access checks at least two seconds after an acknowledged end, by an instance that could read the revocations. */
export function checksOfEndedSessions (history: Entry[]): Exchange[] {
  const all = exchanges(history)
  const outages = history
    .filter(entry => entry.type === 'fault')
    .filter(({ what }) => /postgres/i.test(what))
  const hadFeed = ({ service, from, until }: Exchange) => !outages.some(outage =>
    outage.from <= until && outage.until >= from - REVOCATION_DELAY - FEED_RECOVERY &&
      (/ on postgres of service /.test(outage.what) ? outage.what.endsWith(` ${service}`) : true))
  return all
    .filter(exchange => exchange.what === 'check' && exchange.family && exchange.status !== null && hadFeed(exchange))
    .filter(({ family, from }) => sessionOf(all, family as string).isEnded(from - REVOCATION_DELAY))
}

export const endedSessionsPassNoChecks: Invariant = history =>
  checksOfEndedSessions(history)
    .filter(isDone)
    .map(exchange => `${describe(exchange)} passed with the access token of an ended session`)

export const oneSuccessorForEachToken: Invariant = history => {
  const refreshes = exchanges(history)
    .filter(({ what, newToken, family, newFamily = family }) => what === 'refresh' && newToken && family === newFamily)
  return Object.entries(by(refreshes, ({ token }) => token))
    .filter(([, same]) => new Set(same.map(({ newToken }) => newToken)).size > 1)
    .map(([token]) => `token ${token} has several successors`)
}

export const oneLiveTokenForEachSession: Invariant = history =>
  history
    .filter(entry => entry.type === 'token-count')
    .flatMap(({ live, at }) =>
      Object.entries(live)
        .filter(([, count]) => count > 1)
        .map(([family, count]) => `session ${family} has ${count} live tokens at ${at}`)
    )

/** The least number of mails of each kind that acknowledged requests promise to a user. */
function promisedMails (history: Entry[]): Array<{ reader: string, kind: MailKind, atLeast: number }> {
  const people = by(
    exchanges(history).filter(({ person }) => person !== 'guesser'),
    ({ person }) => person
  )
  return Object.entries(people).flatMap(([person, own]) => {
    const firstLogin = own.find(exchange => opensSession(exchange) && isDone(exchange))
    const promises: Record<Exclude<MailKind, 'known'>, Exchange[]> = {
      factors: own.filter(exchange => exchange.what === 'confirm-totp' && isDone(exchange)),
      verify: own.filter(exchange => exchange.what === 'register' && isDone(exchange)),
      reset: own.filter(exchange => exchange.what === 'ask-reset' && isDone(exchange)),
      changed: own.filter(exchange => (exchange.what === 'change' || exchange.what === 'reset') && isDone(exchange)),
      'new-sign-in': own.filter(
        exchange =>
          opensSession(exchange) &&
          exchange.newDevice &&
          isDone(exchange) &&
          exchange.from >= (firstLogin?.until ?? Infinity)
      ),
    }
    // A mailbox gets five mails an hour of all kinds together; only security notices are sent beyond that.
    const mayCauseMail = own.filter(
      exchange =>
        !isRefused(exchange) &&
        (['register', 'resend', 'ask-reset', 'change', 'reset', 'confirm-totp'].includes(exchange.what) ||
          (opensSession(exchange) && exchange.newDevice))
    )
    const hasRoom = (promise: Exchange) => mayCauseMail.filter(({ from }) => from <= promise.until).length <= 5
    return Object.entries(promises).map(([kind, made]) => ({
      reader: `${person}@example.com`,
      kind: kind as MailKind,
      // Further alerts of an hour are held back for a summary.
      atLeast: kind === 'verify' || kind === 'reset' ? made.filter(hasRoom).length : Math.min(3, made.length),
    }))
  })
}

export const everyPromisedMailIsSent: Invariant = history => {
  const sent = by(
    history.filter(entry => entry.type === 'mail'),
    ({ reader, kind }) => `${kind} to ${reader}`
  )
  return promisedMails(history).flatMap(({ reader, kind, atLeast }) => {
    const jobs = new Set(sent[`${kind} to ${reader}`]?.map(({ job }) => job)).size
    return jobs < atLeast ? [`${jobs} mails instead of ${atLeast}: ${kind} to ${reader}`] : []
  })
}

/**
 * `max` for each start of Redis, which loses its counters when it is killed, and `max` for each start of an instance,
 * which counts by itself while it cannot reach Redis.
 */
function withinLimit (history: Entry[], max: number, counted: Exchange[]): string[] {
  const starts = history.filter(entry => entry.type === 'start')
  return Object.entries(by(counted, ({ address }) => address)).flatMap(([address, uses]) =>
    uses
      .toSorted((a, b) => a.until - b.until)
      .flatMap((use, index) => {
        const bound = max * starts.filter(({ at }) => at <= use.until).length
        return index + 1 > bound ? [`${describe(use)} from ${address} is number ${index + 1} of at most ${bound}`] : []
      })
  )
}

export const noLimitIsPassed: Invariant = history => [
  ...withinLimit(
    history,
    5,
    exchanges(history).filter(({ what, status }) => what === 'login' && status === 401)
  ),
  ...withinLimit(
    history,
    3,
    exchanges(history).filter(({ what, status }) => what === 'ask-reset' && status === 202)
  ),
]

/** Every 5xx response is a 503 with `Retry-After`. */
export const everyOutageIsNamed: Invariant = history =>
  exchanges(history)
    .filter(({ status, retryAfter }) => status !== null && status >= 500 && (status !== 503 || !retryAfter))
    .map(exchange => `${describe(exchange)} is neither a success nor a 503 with Retry-After`)

export const noProcessEndsByItself: Invariant = history =>
  history.filter(entry => entry.type === 'crash').map(({ what, at }) => `${what} at ${at}`)

export const INVARIANTS: Record<string, Invariant> = {
  acknowledgedPasswordsHold,
  everyUserCanSignIn,
  secondFactorHolds,
  acknowledgedSessionsHold,
  lostProofsSignNobodyOut,
  endedSessionsIssueNoTokens,
  endedSessionsPassNoChecks,
  oneSuccessorForEachToken,
  oneLiveTokenForEachSession,
  everyPromisedMailIsSent,
  noLimitIsPassed,
  everyOutageIsNamed,
  noProcessEndsByItself,
  ...APPLICATION_INVARIANTS,
}

export function violations (history: Entry[]): string[] {
  return Object.entries(INVARIANTS).flatMap(([name, invariant]) =>
    invariant(history).map(violation => `${name}: ${violation}`)
  )
}
