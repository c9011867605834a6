import { isDone, isRefused, reusesOf } from './history-analysis.ts'
import type { Exchange } from './history.ts'

/** The request may still be processed after its end. */
const isOpen = ({ status }: Exchange) => status === null || status >= 500

/** What is known of a sign-in to an application. */
export function grantOf (all: Exchange[], grant: string) {
  const own = all.filter(exchange => exchange.grant === grant)
  const authorized = own.find(({ what }) => what === 'app-authorize')
  const exchanged = own.find(exchange => exchange.what === 'app-exchange' && isDone(exchange))
  const refreshes = own.filter(({ what }) => what === 'app-refresh')
  const isOffline = authorized?.offline === true
  /** When a request that ends it must begin, so that it certainly does. */
  const begun = (isOffline ? exchanged : authorized)?.until ?? Infinity

  /** The session of the browser, and those that replaced it at new proofs: the application stays signed in. */
  const sessions = new Set([authorized?.family])
  for (const { what, family, newFamily } of all) {
    if (newFamily && sessions.has(family) && ['change', 'confirm-totp', 'refresh'].includes(what)) {
      sessions.add(newFamily)
    }
  }

  /** Whether this request ends it if it has an effect. */
  function ends (exchange: Exchange): boolean {
    const { what, person, status, family, target } = exchange
    if (person !== authorized?.person || isRefused(exchange)) return false
    const fromHere = sessions.has(family)
    switch (what) {
      case 'app-revoke':
        return exchange.grant === grant
      case 'reset':
        return true
      case 'change':
      case 'end-others':
        return isOffline || !fromHere
      case 'login':
        return !isOffline && fromHere && status !== 202
      case 'logout':
      case 'second-step':
        return !isOffline && fromHere
      case 'end-one':
        return !isOffline && sessions.has(target)
      default:
        return false
    }
  }

  const endings = all.filter(ends)
  /** A reuse of its own tokens ends it, and so does one of the tokens of the browser. */
  const ofBrowser = isOffline
    ? []
    : [...sessions].map(session =>
        all.filter(({ what, family }) => what === 'refresh' && family === session))
  const reuses = [refreshes, ...ofBrowser].flatMap(each => each.filter(reusesOf(each)))

  return {
    authorized,

    /** A request was acknowledged that ended it, or one with a token of it was refused. */
    isEnded: (at: number): boolean =>
      endings.some(ending => isDone(ending) && ending.until <= at && begun <= ending.from) ||
      own.some(exchange => exchange.what !== 'app-exchange' && isRefused(exchange) && exchange.until <= at),

    mayHaveEnded: (at: number): boolean =>
      endings.some(ending => ending.from < at && (isOpen(ending) || ending.until > (authorized?.from ?? 0))) ||
      reuses.some(refresh => refresh.from < at),

    /** A code is accepted once: an exchange whose response was lost may have used it. */
    mayBeUsed: (exchange: Exchange): boolean =>
      own.some(other => other.what === 'app-exchange' && other !== exchange && other.from < exchange.from &&
        (isOpen(other) || isDone(other))),
  }
}
