/**
 * Calls `tick` each second with the seconds left, and with 0 at the end.
 * It compares with the clock, because timers stop while a computer sleeps.
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

/** Formats 754 as 12:34. @param {number} seconds */
export const formatClock = seconds => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
