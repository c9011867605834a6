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
  /** A code is of no use after the session of its browser, also one for offline access. */
  const outlivesBrowser = ({ what }: Exchange) => isOffline && what !== 'app-exchange'

  /** The session of the browser, and those that replaced it at new proofs: the application stays signed in. */
  const sessions = new Set([authorized?.family])
  for (const { what, family, newFamily } of all) {
    if (newFamily && sessions.has(family) && ['change', 'confirm-totp', 'refresh'].includes(what)) {
      sessions.add(newFamily)
    }
  }

  /** Whether this request ends it if it has an effect. `outlives`: the session of the browser. */
  function ends (exchange: Exchange, outlives: boolean): boolean {
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
        return outlives || !fromHere
      case 'login':
        return !outlives && fromHere && status !== 202
      case 'logout':
      case 'second-step':
        return !outlives && fromHere
      case 'end-one':
        return !outlives && sessions.has(target)
      default:
        return false
    }
  }

  const ofBrowser = [...sessions].map(session =>
    all.filter(({ what, family }) => what === 'refresh' && family === session))

  return {
    authorized,

    /** Before this request, one was acknowledged that ended it, or one with a token of it was refused. */
    isEnded (exchange: Exchange): boolean {
      const outlives = outlivesBrowser(exchange)
      const begun = (outlives ? exchanged : authorized)?.until ?? Infinity
      return all.some(ending => ends(ending, outlives) && isDone(ending) &&
          ending.until <= exchange.from && begun <= ending.from) ||
        own.some(other => other.what !== 'app-exchange' && isRefused(other) && other.until <= exchange.from)
    },

    /** Before this request was answered. */
    mayHaveEnded (exchange: Exchange): boolean {
      const outlives = outlivesBrowser(exchange)
      // A reuse of its own tokens ends it, and so does one of the tokens of the browser.
      const reuses = [refreshes, ...outlives ? [] : ofBrowser].flatMap(each => each.filter(reusesOf(each)))
      const endings = all.filter(each => ends(each, outlives) || ends(each, isOffline))
      return reuses.some(({ from }) => from < exchange.until) || endings.some(ending =>
        ending.from < exchange.until && (isOpen(ending) || ending.until > (authorized?.from ?? 0)))
    },

    /** A code is accepted once: an exchange whose response was lost may have used it. */
    mayBeUsed: (exchange: Exchange): boolean =>
      own.some(other => other.what === 'app-exchange' && other !== exchange && other.from < exchange.from &&
        (isOpen(other) || isDone(other))),
  }
}
