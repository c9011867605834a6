import type { Deed, Entry, Exchange } from './history.ts'

/** How long a used token still leads to its successor. */
const GRACE = 30_000
/** A request whose answer was lost may still be at work: in a frozen process, or on a stalled connection. */
const LINGERS = 30_000

export const exchanges = (history: Entry[]) => history.filter(entry => entry.type === 'exchange')

export const isDone = ({ status }: Exchange) => status !== null && status < 300
/** Surely nothing happened. Any other answer than this and a success, or none, leaves it open. */
export const isRefused = ({ status }: Exchange) => status !== null && status >= 400 && status < 500
const mayHaveHappened = (exchange: Exchange) => !isRefused(exchange)

const WRITES: Deed[] = ['register', 'change', 'reset']
const isWrite = ({ what }: Exchange) => WRITES.includes(what)

/** What a person's exchanges tell of their password: each value is written by one kind of request only, and no value twice. */
export function passwordsOf (all: Exchange[], person: string) {
  const own = all.filter(exchange => exchange.person === person)
  const writes = own.filter(exchange => isWrite(exchange) && mayHaveHappened(exchange))
  const writesOf = (password: string) => writes.filter(({ newPassword }) => newPassword === password)

  return {
    /**
     * An acknowledged write ends whatever was written by a request that began before it. A change replaces the hash
     * that it checked, and a write voids the links that were sent: a late one of either kind finds nothing to do.
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

    /** Acknowledged, and nobody has tried to write another since. */
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

/** What the exchanges tell of a session. */
export function sessionOf (all: Exchange[], family: string) {
  const opened = all.find(({ what, newFamily }) => what === 'login' && newFamily === family)
  const person = opened?.person
  const refreshes = all.filter(exchange => exchange.what === 'refresh' && exchange.family === family)

  /** Would end this session, if it happened. */
  function ends (exchange: Exchange): boolean {
    if (exchange.person !== person || isRefused(exchange)) return false
    const fromHere = exchange.family === family
    switch (exchange.what) {
      case 'login':
      case 'logout':
        return fromHere
      case 'end-others':
      case 'change':
        return !fromHere
      case 'reset':
        return true
      case 'end-one':
        return exchange.target === family
      default:
        return false
    }
  }

  const endings = all.filter(ends)
  const childOf = (token?: string) => refreshes.find(each => each.token === token && each.newToken)?.newToken
  const latest = (exchange: Exchange) =>
    exchange.status === null || exchange.status >= 500 ? exchange.from + LINGERS : exchange.until

  /** A token that was presented after its successor, or too late, ends its session, whoever sent it. */
  function mayBeReuse (exchange: Exchange): boolean {
    const child = childOf(exchange.token)
    return refreshes.some(
      other =>
        (child !== undefined && other.token === child && other.from < latest(exchange)) ||
        (other !== exchange && other.token === exchange.token && latest(exchange) - other.from > GRACE)
    )
  }

  return {
    refreshes,

    /** An acknowledged ending of what was there when it was asked for, or was begun with a password that it replaced. */
    isEnded: (at: number): boolean =>
      opened !== undefined &&
      endings.some(
        ending =>
          isDone(ending) &&
          ending.until <= at &&
          (opened.until <= ending.from ||
            (isWrite(ending) && passwordsOf(all, opened.person).isGone(opened.password ?? '', ending.until)))
      ),

    mayHaveEnded: (at: number): boolean =>
      endings.some(ending => ending.from < at) || refreshes.some(refresh => refresh.from < at && mayBeReuse(refresh)),
  }
}
