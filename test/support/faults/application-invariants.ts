import { grantOf } from './grant-analysis.ts'
import { exchanges, isDone, isRefused, sessionOf } from './history-analysis.ts'
import type { Entry, Exchange, Operation } from './history.ts'

type Invariant = (history: Entry[]) => string[]

const describe = ({ what, person, grant, status, error = '', from, until }: Exchange) =>
  `${what} for ${person} with ${grant} at ${from}–${until} (${status} ${error})`

const ofApplications = (history: Entry[]) => exchanges(history).filter(({ what }) => what.startsWith('app-'))

/** The refusals that an application may get, with their errors of OAuth. */
const REFUSALS: Partial<Record<Operation, [number, string | undefined]>> = {
  'app-authorize': [401, undefined],
  'app-exchange': [400, 'invalid_grant'],
  'app-refresh': [400, 'invalid_grant'],
  'app-userinfo': [401, 'invalid_token'],
  'app-introspect': [401, undefined],
}

/** Never `invalid_client` or `server_error`, and no other status. */
const applicationsGetNoOtherErrors: Invariant = history =>
  ofApplications(history)
    .filter(({ what, status, error }) => {
      const [refused, as] = REFUSALS[what] ?? []
      return status !== null && status !== 503 && status !== 200 && (status !== refused || (as && error !== as))
    })
    .map(exchange => `${describe(exchange)} is an error that no application may get`)

/** A code, a refresh token and an access token are refused only if what the application got may have ended. */
const acknowledgedGrantsHold: Invariant = history => {
  const all = exchanges(history)
  return ofApplications(history)
    .filter(exchange => isRefused(exchange) && exchange.what !== 'app-authorize')
    .filter(exchange => {
      const grant = grantOf(all, exchange.grant as string)
      if (exchange.what === 'app-exchange' && grant.mayBeUsed(exchange)) return false
      return !grant.mayHaveEnded(exchange)
    })
    .map(exchange => `${describe(exchange)} was refused, but nothing ended it`)
}

/** Neither after an acknowledged end of the session, nor after a refusal. */
const endedGrantsAreOfNoUse: Invariant = history => {
  const all = exchanges(history)
  const isEnded = (exchange: Exchange) => exchange.what === 'app-authorize'
    ? sessionOf(all, exchange.family as string).isEnded(exchange.from)
    : grantOf(all, exchange.grant as string).isEnded(exchange)
  return ofApplications(history)
    .filter(exchange => isDone(exchange) && exchange.what !== 'app-revoke' && isEnded(exchange))
    .map(exchange => `${describe(exchange)} succeeded after the end`)
}

const oneSuccessorForEachApplicationToken: Invariant = history => {
  const refreshes = ofApplications(history).filter(({ what, newToken }) => what === 'app-refresh' && newToken)
  return Object.entries(Object.groupBy(refreshes, ({ token = '' }) => token))
    .filter(([, same = []]) => new Set(same.map(({ newToken }) => newToken)).size > 1)
    .map(([token]) => `token ${token} of an application has several successors`)
}

export const APPLICATION_INVARIANTS: Record<string, Invariant> = {
  applicationsGetNoOtherErrors,
  acknowledgedGrantsHold,
  endedGrantsAreOfNoUse,
  oneSuccessorForEachApplicationToken,
}
