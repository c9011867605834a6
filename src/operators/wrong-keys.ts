/** Wrong keys of one client address in a window. A key has 256 bits: this bounds the load and the log, not the luck. */
export const WRONG_KEYS = { max: 20, windowMs: 15 * 60_000 }
