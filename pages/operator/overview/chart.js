import { byId } from '../../parts/elements.js'
import { fillLegend, fillTable } from './chart-numbers.js'

/** @typedef {{ at: string, counts: Record<string, number> }} Point */

const SVG = 'http://www.w3.org/2000/svg'
/** In pixels. */
const HEIGHT = 180
const LEFT = 44
const BOTTOM = 22
const TOP = 8
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM
const MIN_WIDTH = 200

const number = new Intl.NumberFormat('en')
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short' })
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

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

/**
 * Each quarter of an hour, or each day.
 * @param {Point[]} points @param {'minute' | 'hour'} unit @param {number} width
 */
function timeLabels (points, unit, width) {
  return points.flatMap(({ at }, index) => {
    const date = new Date(at)
    const x = LEFT + (width - LEFT) * (index + 0.5) / points.length
    const isLabelled = unit === 'minute' ? date.getMinutes() % 15 === 0 : date.getHours() === 0
    if (!isLabelled || x > width - 16) return []
    const text = unit === 'minute' ? clock.format(date) : day.format(date)
    return [svg('text', { x, y: HEIGHT - 6, 'text-anchor': 'middle' }, text)]
  })
}

/** One bar, stacked, with what it stands for. */
function bar (/** @type {Point} */ point, /** @type {Record<string, string>} */ names, x = 0, width = 0, max = 1) {
  let y = TOP + PLOT_HEIGHT
  const parts = Object.keys(names).flatMap((name, index) => {
    const height = PLOT_HEIGHT * (point.counts[name] ?? 0) / max
    if (height === 0) return []
    y -= height
    return [svg('rect', { class: `series-${index + 1}`, x, y, width, height })]
  })
  const details = Object.entries(names).map(([name, label]) => `${label} ${number.format(point.counts[name] ?? 0)}`)
  const title = `${moment.format(new Date(point.at))}: ${details.join(', ')}`
  return svg('g', {}, svg('title', {}, title), ...parts,
    svg('rect', { class: 'touch', x, y: TOP, width, height: PLOT_HEIGHT }))
}

/**
 * Draws bars for the points, and fills the legend and the table of numbers.
 * @param {string} id
 * @param {Point[]} points
 * @param {Record<string, string>} names Of the counts, in the order of the stack.
 * @param {'minute' | 'hour'} unit
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
    ? `Now ${number.format(sums.at(-1) ?? 0)}, ${peak}`
    : `${total} in all, ${peak} in ${unit === 'hour' ? 'an hour' : 'a minute'}`

  place.replaceChildren(svg('svg', {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: 'img',
    'aria-label': `${byId(`${id}-title`, HTMLElement).textContent}: ${summary}`,
  }, ...grid(max, width), ...timeLabels(points, unit, width), ...points.map((point, index) =>
    bar(point, names, LEFT + index * step + step * 0.1, step * 0.8, max))))
  byId(`${id}-sum`, HTMLElement).textContent = summary
  fillLegend(byId(`${id}-legend`, HTMLElement), points, names, isLevel)
  fillTable(byId(`${id}-rows`, HTMLElement), points, names)
}
