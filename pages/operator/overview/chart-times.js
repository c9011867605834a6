/** @typedef {'minute' | 'hour' | 'day'} Unit */

const clock = new Intl.DateTimeFormat('en', { timeStyle: 'short' })
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
// Days are those of UTC.
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const longDay = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' })

/** What a bar stands for. @param {string} at @param {Unit} unit */
export const nameOfTime = (at, unit) => unit === 'day' ? longDay.format(new Date(at)) : moment.format(new Date(at))

/** Below a bar, and in the table. @param {string} at @param {Unit} unit */
export const labelOfTime = (at, unit) => unit === 'day' ? day.format(new Date(at)) : clock.format(new Date(at))

/** Pixels that a label needs. */
const LABEL_WIDTH = 62

/**
 * The bars that have a label: as many as fit, at round times.
 * @param {string[]} times @param {Unit} unit @param {number} width In pixels.
 */
export function labelledBars (times, unit, width) {
  const most = Math.max(1, Math.floor(width / LABEL_WIDTH))
  const steps = {
    minute: [5, 10, 15, 20, 30, 60],
    hour: [1, 2, 3, 4, 6, 8, 12, 24],
    day: [1, 2, 5, 7, 10, 15, 30],
  }[unit]
  const step = steps.find(each => times.length / each <= most) ?? steps.at(-1) ?? 1
  return times.flatMap((at, index) => {
    const date = new Date(at)
    // Days are counted from the last one, so that today has a label.
    const place = unit === 'minute' ? date.getMinutes() : unit === 'hour' ? date.getHours() : times.length - 1 - index
    return place % step === 0 ? [index] : []
  })
}
