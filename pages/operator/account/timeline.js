import { fillTimes } from '../../parts/dates.js'
import { byId, cloneTemplate } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { read } from '../parts/api.js'
import { describe, isAlarm } from '../parts/event-words.js'
import { problemOf } from '../parts/open-page.js'

/** @typedef {import('../parts/event-words.js').ListedEvent} ListedEvent */

const list = byId('events', HTMLElement)
const more = byId('more-events', HTMLButtonElement)

/** @param {ListedEvent} event */
function rowOf (event) {
  const { what, ip, userAgent, device, by, at } = event
  const row = cloneTemplate('event', {
    what: describe(event),
    by: by ? `by ${by}` : '',
    client: [device, ip && `from ${ip}`].filter(Boolean).join(' '),
  })
  fillTimes(row, at)
  if (userAgent) row.querySelector('[data-slot=client]')?.setAttribute('title', userAgent)
  row.toggleAttribute('data-alarm', isAlarm(what))
  row.toggleAttribute('data-operator', by !== null)
  return row
}

/** The story of an account, newest first. @param {string} id */
export async function showTimeline (id) {
  /** @param {string} [cursor] */
  async function page (cursor) {
    const query = new URLSearchParams({ user: id, limit: '20', ...(cursor && { cursor }) })
    /** @type {{ events: ListedEvent[], next: string | null }} */
    const { events, next } = await read(`/events?${query}`)
    const rows = events.map(rowOf)
    if (cursor) list.append(...rows)
    else list.replaceChildren(...rows)
    more.hidden = !next
    more.onclick = () => next && page(next)
      .catch(error => showMessage(byId('status', HTMLElement), problemOf(error)))
  }
  await page()
}
