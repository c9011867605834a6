import { byId, cloneTemplate } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { read } from '../parts/api.js'
import { element, timeOf } from '../parts/entry.js'
import { describe, isAlarm } from '../parts/event-words.js'
import { fieldsOf, fillFields } from '../parts/filters.js'
import { openPage, problemOf } from '../parts/open-page.js'

/** @typedef {import('../parts/event-words.js').ListedEvent} ListedEvent */

const PAGE_SIZE = '50'
const form = byId('filters', HTMLFormElement)
const list = byId('events', HTMLElement)
const more = byId('more', HTMLButtonElement)
const status = byId('status', HTMLElement)

/** A link to this page with one filter. @param {string} name @param {string} value */
const filterLink = (name, value) => element('a', { href: `?${new URLSearchParams({ [name]: value })}` }, value)

/** @param {ListedEvent} event */
function accountOf ({ userId, username, subject }) {
  if (userId === null) return subject ?? '–'
  if (username === null) return `Deleted account ${userId}`
  return element('a', { href: `/operator/accounts/${encodeURIComponent(userId)}` }, username)
}

/** @param {ListedEvent} event */
function rowOf (event) {
  const { what, ip, userAgent, device, by, at } = event
  const row = cloneTemplate('event', { what: describe(event), by: by ?? '–' })
  const place = (/** @type {string} */ name) => row.querySelector(`[data-place=${name}]`)
  place('account')?.append(accountOf(event))
  if (ip) place('client')?.append(filterLink('address', ip))
  if (device) place('client')?.append(element('span', { class: 'hint', title: userAgent ?? '' }, device))
  if (!ip && !device) place('client')?.append('–')
  place('at')?.append(timeOf(at))
  row.toggleAttribute('data-alarm', isAlarm(what))
  // On a narrow screen, what is unknown has no line.
  for (const cell of row.querySelectorAll('td')) cell.toggleAttribute('data-none', cell.textContent?.trim() === '–')
  return row
}

/** As the API expects it: times in UTC. */
function query () {
  const { since, until, ...fields } = fieldsOf(form)
  return {
    ...fields,
    ...(since && { since: new Date(since).toISOString() }),
    ...(until && { until: new Date(until).toISOString() }),
  }
}

/** @param {string} [cursor] */
async function show (cursor) {
  const parameters = new URLSearchParams({ limit: PAGE_SIZE, ...query(), ...(cursor && { cursor }) })
  /** @type {{ events: ListedEvent[], next: string | null }} */
  const { events, next } = await read(`/events?${parameters}`)
  showMessage(status, '')
  const rows = events.map(rowOf)
  if (cursor) list.append(...rows)
  else list.replaceChildren(...rows)
  const isEmpty = list.childElementCount === 0
  byId('event-table', HTMLElement).hidden = isEmpty
  byId('none', HTMLElement).hidden = !isEmpty
  byId('address-hint', HTMLElement).hidden = !fieldsOf(form).address
  showAccount(events[0])
  more.hidden = !next
  more.onclick = () => next && show(next).catch(fail)
}

/** Events of the account that another page has linked here. @param {ListedEvent | undefined} event */
function showAccount (event) {
  const { user } = fieldsOf(form)
  const line = byId('of-account', HTMLElement)
  line.hidden = !user
  if (user) line.textContent = `Only of the account ${event?.username ?? user}.`
}

/** @param {unknown} error */
const fail = error => showMessage(status, problemOf(error))

form.addEventListener('submit', event => {
  event.preventDefault()
  const parameters = new URLSearchParams(fieldsOf(form)).toString()
  history.replaceState(null, '', parameters ? `?${parameters}` : location.pathname)
  show().catch(fail)
})
byId('reset', HTMLButtonElement).addEventListener('click', () => location.assign(location.pathname))

await openPage(async () => {
  fillFields(form)
  await show()
})
