/** For log lines: calls `act`, but not again within this time, in milliseconds. */
export function atMostEvery<Values extends unknown[]> (interval: number, act: (...values: Values) => void) {
  let nextAt = 0
  return function actSeldom (...values: Values): void {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + interval
    act(...values)
  }
}
