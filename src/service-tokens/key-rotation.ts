export type SigningAlgorithm = 'EdDSA' | 'ES256'

// All times are in seconds.
/** How long a token for another service is valid. */
export const TOKEN_LIFETIME = 5 * 60
/** How long a key signs. */
const KEY_LIFETIME = 30 * 24 * 60 * 60
/** A key is published this long before it signs: longer than other services cache the public keys. */
export const PUBLISHED_AHEAD = 60 * 60

/** A retired key stays published for as long as an instance may still use it, and then until its last token expires. */
const PUBLISHED_AFTER_USE = TOKEN_LIFETIME + 2 * 60
/** Each instance notes this often that it can open a key. */
const NOTE_INTERVAL = 60
/** A key that no instance could open for this long is of no use: its secret was replaced. */
const ABANDONED_AFTER = 5 * 60

/** Times are in seconds before or after the present, by the clock of PostgreSQL. */
export interface KeyState {
  kid: string
  algorithm: SigningAlgorithm
  /** Negative once it signs. */
  signsIn: number
  openedAgo: number
  retiredAgo: number | null
}

export interface RotationPlan {
  /** Add a key that signs after so many seconds. */
  addIn?: number
  /** Keys that sign from now on, are seen to open, sign no longer, or are deleted. */
  promote: string[]
  note: string[]
  retire: string[]
  remove: string[]
}

/** The key that signs: the latest whose time has come, of those that this instance can open. Keys are in that order. */
export function currentKey<K extends KeyState> (keys: K[], canOpen: (key: K) => boolean): K | undefined {
  return keys.findLast(key => key.retiredAgo === null && key.signsIn <= 0 && canOpen(key))
}

/**
 * The key that signs for clients of the OpenID provider, which verify ES256 alone. If it is the first one, it signs
 * before its time: they fetch the public keys again when they see a new one.
 */
export function clientKey<K extends KeyState> (keys: K[], canOpen: (key: K) => boolean): K | undefined {
  const suitable = keys.filter(({ algorithm }) => algorithm === 'ES256')
  return currentKey(suitable, canOpen) ?? suitable.find(key => key.retiredAgo === null && canOpen(key))
}

/**
 * next (published ahead) → current → previous (until its last token has expired).
 * An instance replaces keys that it cannot open, but retires one only if no other instance can open it either:
 * a single instance with a wrong secret must not take away the keys of the others.
 */
export function planRotation<K extends KeyState> (
  keys: K[],
  canOpen: (key: K) => boolean,
  algorithm: SigningAlgorithm
): RotationPlan {
  const active = keys.filter(({ retiredAgo }) => retiredAgo === null)
  const usable = active.filter(canOpen)
  const current = currentKey(keys, canOpen)
  const next = usable.find(key => key.signsIn > 0 && key.algorithm === algorithm)
  const isEnding = current && (-current.signsIn >= KEY_LIFETIME - PUBLISHED_AHEAD || current.algorithm !== algorithm)
  const replaced = usable.filter(key => key.signsIn <= 0 && key !== current)
  const abandoned = active.filter(key => !canOpen(key) && key.openedAgo > ABANDONED_AFTER)
  const kids = (keys: K[]) => keys.map(({ kid }) => kid)
  return {
    addIn: next ? undefined : current ? isEnding ? PUBLISHED_AHEAD : undefined : 0,
    promote: !current && next ? [next.kid] : [],
    note: kids(usable.filter(({ openedAgo }) => openedAgo > NOTE_INTERVAL)),
    retire: kids([...replaced, ...abandoned]),
    remove: kids(keys.filter(({ retiredAgo }) => retiredAgo !== null && retiredAgo > PUBLISHED_AFTER_USE)),
  }
}

export function isEmpty ({ addIn, promote, note, retire, remove }: RotationPlan): boolean {
  return addIn === undefined && [promote, note, retire, remove].every(({ length }) => length === 0)
}
