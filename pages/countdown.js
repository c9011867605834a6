// @ts-check

/**
 * Calls back each second with the seconds left, at last with 0. It goes by the clock: a laptop that slept has waited, too.
 * @param {number} seconds
 * @param {(left: number) => void} tick
 */
export function countDown (seconds, tick) {
  const end = Date.now() + seconds * 1_000
  const timer = setInterval(step, 1_000)
  step()

  function step () {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1_000))
    if (left === 0) clearInterval(timer)
    tick(left)
  }
}

/** 754 as 12:34. @param {number} seconds */
export const asClock = seconds => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
