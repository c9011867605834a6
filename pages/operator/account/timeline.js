import { fillTimes } from '../../parts/dates.js'
import { byId, cloneTemplate } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { texts } from '../../parts/texts.js'
import { read } from '../parts/api.js'
import { problemOf } from '../parts/open-page.js'

/**
 * @typedef {{ what: string, ip: string | null, userAgent: string | null, by: string | null, at: string }} AccountEvent
 */

const names = /** @type {Record<string, string>} */ (texts.events)
const list = byId('events', HTMLElement)
const more = byId('more-events', HTMLButtonElement)

/** "webhook_paused" becomes "Webhook paused". @param {string} what */
const nameOf = what => names[what] ?? what.replaceAll('_', ' ').replace(/^./, letter => letter.toUpperCase())

/** @param {AccountEvent} event */
function rowOf ({ what, ip, userAgent, by, at }) {
  const row = cloneTemplate('event', {
    what: nameOf(what),
    by: by ? `by ${by}` : '',
    client: [ip, userAgent].filter(Boolean).join(' · '),
  })
  fillTimes(row, at)
  row.toggleAttribute('data-alarm', /failed|reuse|disabled|breached/.test(what))
  row.toggleAttribute('data-operator', by !== null)
  return row
}

/** The story of an account, newest first. @param {string} id */
export async function showTimeline (id) {
  /** @param {string} [cursor] */
  async function page (cursor) {
    const query = new URLSearchParams({ user: id, limit: '20', ...(cursor && { cursor }) })
    /** @type {{ events: AccountEvent[], next: string | null }} */
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
