import type { Entry, Exchange, Operation } from './history.ts'

/** How long a used token still leads to its successor. */
const GRACE_PERIOD = 30_000
/** How long a request without a response may still be processed, by a frozen process or on a stalled connection. */
const MAX_PROCESSING = 30_000

export const exchanges = (history: Entry[]) => history.filter(entry => entry.type === 'exchange')

export const isDone = ({ status }: Exchange) => status !== null && status < 300
/** The request had no effect. Without a success or a refusal, it may have had one. */
export const isRefused = ({ status }: Exchange) => status !== null && status >= 400 && status < 500
const mayHaveHappened = (exchange: Exchange) => !isRefused(exchange)

/** A login that may have opened a session: with the password alone, or with the second factor. */
export const opensSession = ({ what, status }: Exchange) =>
  (what === 'login' && status !== 202) || what === 'second-step'

const WRITES: Operation[] = ['register', 'change', 'reset']
const isWrite = ({ what }: Exchange) => WRITES.includes(what)

/** What is known of a user's passwords. No two requests write the same password. */
export function passwordsOf (all: Exchange[], person: string) {
  const own = all.filter(exchange => exchange.person === person)
  const writes = own.filter(exchange => isWrite(exchange) && mayHaveHappened(exchange))
  const writesOf = (password: string) => writes.filter(({ newPassword }) => newPassword === password)

  return {
    /**
     * An acknowledged write replaces what requests that began before it have written, even if they finish later:
     * a change only replaces the hash that it checked, and a write invalidates the links sent before.
     */
    isGone (password: string, at: number): boolean {
      const written = writesOf(password)
      return (
        written.length === 0 ||
        writes.some(
          later =>
            isDone(later) &&
            later.newPassword !== password &&
            later.until <= at &&
            written.every(({ from }) => from < later.from)
        )
      )
    },

    /** Acknowledged, and no request has tried to write another password since. */
    isSure (password: string, { from, until }: Exchange): boolean {
      const acknowledged = writesOf(password).find(write => isDone(write) && write.until <= from)
      return (
        acknowledged !== undefined &&
        !writes.some(other => other.newPassword !== password && other.from > acknowledged.from && other.from <= until)
      )
    },

    isVerified: (at: number): boolean =>
      own.some(exchange => ['verify', 'reset'].includes(exchange.what) && isDone(exchange) && exchange.until <= at),
  }
}

/** The password that a session depends on. */
const passwordOf = ({ password, newPassword }: Exchange) => newPassword ?? password
const replaces = (what: Operation) => what === 'change' || what === 'confirm-totp'

/**
 * Which of these refreshes, all of one session, may be a reuse: a token that is presented after its successor was, or
 * after the grace period, ends its session.
 */
export function reusesOf (refreshes: Exchange[]) {
  const childOf = (token?: string) => refreshes.find(each => each.token === token && each.newToken)?.newToken
  const latest = (exchange: Exchange) =>
    exchange.status === null || exchange.status >= 500 ? exchange.from + MAX_PROCESSING : exchange.until

  return function mayBeReuse (exchange: Exchange): boolean {
    const child = childOf(exchange.token)
    return refreshes.some(
      other =>
        (child !== undefined && other.token === child && other.from < latest(exchange)) ||
        (other !== exchange && other.token === exchange.token && latest(exchange) - other.from > GRACE_PERIOD)
    )
  }
}

/** What is known of a session. */
export function sessionOf (all: Exchange[], family: string) {
  /** A sign-in, a proof of identity that replaced another session, or the first refresh after such a proof. */
  const opened = all.find(exchange => exchange.newFamily === family && exchange.family !== family)
  const person = opened?.person
  const refreshes = all.filter(exchange => exchange.what === 'refresh' && exchange.family === family)

  /** Whether this request ends the session if it has an effect. */
  function ends (exchange: Exchange): boolean {
    if (exchange.person !== person || isRefused(exchange) || exchange === opened) return false
    const fromHere = exchange.family === family
    switch (exchange.what) {
      case 'login':
        // The first of two steps ends nothing.
        return fromHere && exchange.status !== 202
      case 'second-step':
      case 'logout':
      case 'confirm-totp':
        return fromHere
      case 'end-others':
        return !fromHere
      case 'change':
      case 'reset':
        return true
      case 'end-one':
        return exchange.target === family
      default:
        return false
    }
  }

  const endings = all.filter(ends)
  const mayBeReuse = reusesOf(refreshes)

  return {
    refreshes,

    /** An acknowledged request ended it: one sent after the sign-in, or a write that replaced the password used. */
    isEnded: (at: number): boolean =>
      opened !== undefined &&
      endings.some(
        ending =>
          isDone(ending) &&
          ending.until <= at &&
          (opened.until <= ending.from ||
            (isWrite(ending) && passwordOf(opened) !== undefined &&
              passwordsOf(all, opened.person).isGone(passwordOf(opened) as string, ending.until)))
      ),

    /** Whether nothing ended it but a proof of this session, whose response was lost. */
    wasOnlyReplaced: (at: number): boolean => {
      const before = endings.filter(ending => ending.from < at)
      const isReplacement = ({ what, family: from }: Exchange) => from === family && replaces(what)
      return before.length === 1 && before.every(isReplacement) &&
        !refreshes.some(refresh => refresh.from < at && mayBeReuse(refresh))
    },

    mayHaveEnded: (at: number): boolean =>
      endings.some(ending => ending.from < at) || refreshes.some(refresh => refresh.from < at && mayBeReuse(refresh)),
  }
}
