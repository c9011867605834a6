import { element } from '../parts/entry.js'
import { labelOfTime } from './chart-times.js'

/** @typedef {import('./chart.js').Point} Point */

const number = new Intl.NumberFormat('en')

/** @param {'th' | 'td' | 'b'} tag @param {string} text */
const cell = (tag, text) => element(tag, {}, text)

/** @param {Array<HTMLElement>} cells */
const row = (...cells) => element('tr', {}, ...cells)

/**
 * The name of each colour, with the sum of its bars.
 * @param {HTMLElement} place @param {Point[]} points @param {Record<string, string>} names @param {boolean} isLevel
 */
export function fillLegend (place, points, names, isLevel) {
  place.hidden = isLevel
  place.replaceChildren(...Object.entries(names).map(([name, label], index) => {
    const sum = points.reduce((all, { counts }) => all + (counts[name] ?? 0), 0)
    const mark = element('i', { class: `series-${index + 1}` })
    return element('li', {}, mark, `${label} `, cell('b', number.format(sum)))
  }))
}

/**
 * The same numbers as a table, the newest first, without the times at which nothing happened.
 * @param {HTMLElement} place @param {Point[]} points @param {Record<string, string>} names
 * @param {import('./chart-times.js').Unit} unit
 */
export function fillTable (place, points, names, unit) {
  const rows = points.filter(({ counts }) => Object.values(counts).some(count => count > 0)).toReversed()
  const head = place.parentElement?.querySelector('thead')
  head?.replaceChildren(row(cell('th', 'Time'), ...Object.values(names).map(label => cell('th', label))))
  place.replaceChildren(...rows.map(({ at, counts }) => row(
    cell('th', labelOfTime(at, unit)),
    ...Object.keys(names).map(name => cell('td', number.format(counts[name] ?? 0)))
  )))
  if (rows.length === 0) place.append(row(cell('td', 'Nothing yet.')))
}
