import { byId } from '../../parts/elements.js'
import { fillLegend, fillTable } from './chart-numbers.js'
import { labelledBars, labelOfTime, nameOfTime } from './chart-times.js'

/**
 * @typedef {{ at: string, counts: Record<string, number> }} Point
 * @typedef {import('./chart-times.js').Unit} Unit
 */

const SVG = 'http://www.w3.org/2000/svg'
/** In pixels. */
const HEIGHT = 180
const LEFT = 44
const BOTTOM = 22
const TOP = 8
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM
const MIN_WIDTH = 200
const MAX_BAR = 40
const EDGE = 30

const IN_A = { minute: 'a minute', hour: 'an hour', day: 'a day' }

const number = new Intl.NumberFormat('en')

/** @param {string} name @param {Record<string, string | number>} attributes @param {Array<Node | string>} content */
function svg (name, attributes, ...content) {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  element.append(...content)
  return element
}

/** @param {Point} point */
const sumOf = ({ counts }) => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** 1, 2, 4, 6, 8, 10, 20, 40 and so on: the first that is not less. @param {number} value */
function niceMaximum (value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return [1, 2, 4, 6, 8, 10].map(step => step * power).find(step => step >= value) ?? value
}

/** Horizontal lines with their numbers. @param {number} max @param {number} width */
function grid (max, width) {
  return (max > 1 ? [0, max / 2, max] : [0, max]).flatMap(value => {
    const y = TOP + PLOT_HEIGHT * (1 - value / max)
    return [
      svg('line', { class: 'grid', x1: LEFT, x2: width, y1: y, y2: y }),
      svg('text', { x: LEFT - 6, y: y + 4, 'text-anchor': 'end' }, number.format(value)),
    ]
  })
}

/** @param {Point[]} points @param {Unit} unit @param {number} width */
function timeLabels (points, unit, width) {
  const times = points.map(({ at }) => at)
  return labelledBars(times, unit, width - LEFT).flatMap(index => {
    const x = LEFT + (width - LEFT) * (index + 0.5) / points.length
    // Not beyond the edge.
    const anchor = x > width - EDGE ? 'end' : 'middle'
    const text = labelOfTime(times[index] ?? '', unit)
    return [svg('text', { x: anchor === 'end' ? width : x, y: HEIGHT - 6, 'text-anchor': anchor }, text)]
  })
}

/** What a bar stands for, in words. @param {Point} point @param {Record<string, string>} names @param {Unit} unit */
function wordsOf ({ at, counts }, names, unit) {
  const details = Object.entries(names).map(([name, label]) => `${label} ${number.format(counts[name] ?? 0)}`)
  return `${nameOfTime(at, unit)}: ${details.join(', ')}`
}

/** One bar, stacked. */
function bar (/** @type {Point} */ point, /** @type {Record<string, string>} */ names, x = 0, step = 0, max = 1) {
  let y = TOP + PLOT_HEIGHT
  const width = Math.min(MAX_BAR, step * 0.8)
  const parts = Object.keys(names).flatMap((name, index) => {
    const height = PLOT_HEIGHT * (point.counts[name] ?? 0) / max
    if (height === 0) return []
    y -= height
    return [svg('rect', { class: `series-${index + 1}`, x: x + (step - width) / 2, y, width, height })]
  })
  // As wide as its share of the chart, so that the pointer is always over one of them.
  return svg('g', {}, ...parts, svg('rect', { class: 'touch', x, y: TOP, width: step, height: PLOT_HEIGHT }))
}

/**
 * Draws bars for the points, and fills the legend and the table of numbers.
 * @param {string} id
 * @param {Point[]} points
 * @param {Record<string, string>} names Of the counts, in the order of the stack.
 * @param {Unit} unit
 * @param {boolean} [isLevel] The counts are levels, which have no sum.
 */
export function drawChart (id, points, names, unit, isLevel = false) {
  const sums = points.map(sumOf)
  const most = Math.max(...sums)
  const max = niceMaximum(most)
  const place = byId(id, HTMLElement)
  const width = Math.max(MIN_WIDTH, place.clientWidth)
  const step = (width - LEFT) / points.length
  const total = number.format(sums.reduce((all, sum) => all + sum, 0))
  const peak = `at most ${number.format(most)}`
  const summary = isLevel
    ? `${unit === 'day' ? 'Today up to' : 'Now'} ${number.format(sums.at(-1) ?? 0)}, ${peak}`
    : `${total} in all, ${peak} in ${IN_A[unit]}`

  const bars = points.map((point, index) => bar(point, names, LEFT + index * step, step, max))
  place.replaceChildren(svg('svg', {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: 'img',
    'aria-label': `${byId(`${id}-title`, HTMLElement).textContent}: ${summary}`,
  }, ...grid(max, width), ...timeLabels(points, unit, width), ...bars))
  const words = points.map(point => wordsOf(point, names, unit))
  showValues(bars, byId(`${id}-value`, HTMLElement), words)
  byId(`${id}-sum`, HTMLElement).textContent = summary
  fillLegend(byId(`${id}-legend`, HTMLElement), points, names, isLevel)
  fillTable(byId(`${id}-rows`, HTMLElement), points, names, unit)
}

/**
 * The bar under the pointer, in words.
 * @param {Element[]} bars @param {HTMLElement} place @param {string[]} words
 */
function showValues (bars, place, words) {
  place.textContent = ''
  for (const [index, each] of bars.entries()) {
    each.addEventListener('pointerenter', () => { place.textContent = words[index] ?? '' })
    each.addEventListener('pointerleave', () => { place.textContent = '' })
  }
}
