import { formatTime } from '../../parts/dates.js'

/**
 * @typedef {{ label: string, run: (button: HTMLButtonElement) => unknown, isDanger?: boolean }} RowAction
 * @typedef {[text: string, kind: 'failure' | 'success' | 'plain']} Badge
 */

/**
 * An element. Content that is text stays text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, string>} attributes @param {Array<Node | string>} content
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element (tag, attributes, ...content) {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...content)
  return created
}

/** An address, which may break after a slash or a dot. @param {string} address */
export const breakable = address =>
  address.split(/(?<=[/.])(?!\/)/).flatMap((part, index) => index === 0 ? [part] : [element('wbr', {}), part])

/** @param {Badge} badge */
export const badge = ([text, kind]) => element('span', { class: 'badge', 'data-kind': kind }, text)

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** A time as one reads it, with the exact one as its title. @param {string} iso */
export const timeOf = iso =>
  element('time', { datetime: iso, title: exact.format(new Date(iso)) }, formatTime(iso))

/** A button that `run` is called for. @param {RowAction} action */
export function actionButton ({ label, run, isDanger = false }) {
  const button = element('button', { type: 'button', ...(isDanger && { class: 'danger' }) }, label)
  button.addEventListener('click', () => run(button))
  return button
}

/**
 * A row of a list: a title, badges, lines of details and buttons.
 * @param {{ title: string, href?: string, badges?: Badge[], details: Array<Array<Node | string>>, more?: Node[],
 *   actions?: RowAction[] }} row
 */
export function entry ({ title, href, badges = [], details, more = [], actions = [] }) {
  const name = href ? element('a', { href }, ...breakable(title)) : element('b', {}, ...breakable(title))
  const marks = badges.flatMap(each => [' ', badge(each)])
  return element('li', {},
    element('div', {},
      element('p', {}, name, ...marks),
      ...details.map(line => element('p', { class: 'hint' }, ...line)),
      ...more),
    ...(actions.length > 0 ? [element('div', { class: 'row-actions' }, ...actions.map(actionButton))] : []))
}

/** @param {HTMLElement} list A `dl`. @param {Array<[name: string, value: Node | string]>} facts */
export function showFacts (list, facts) {
  list.replaceChildren(...facts.map(([name, value]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, value))))
}

/** Shows the rows, or a line that says that there are none. @param {HTMLElement} list @param {Node[]} rows */
export function showRows (list, rows, none = 'None.') {
  list.replaceChildren(...rows.length > 0 ? rows : [element('li', { class: 'hint' }, none)])
}
