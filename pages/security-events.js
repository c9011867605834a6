// @ts-check
import { fillTimes } from './dates.js'
import { byId, copyOf } from './elements.js'
import { texts } from './texts.js'

/** The rest is a click away. */
const FIRST = 6

/** @typedef {{ what: string, ip: string | null, device: string, at: string }} SecurityEvent */

/** @param {SecurityEvent[]} events */
export function showEvents (events) {
  const list = byId('events', HTMLElement)
  const more = byId('more-events', HTMLButtonElement)
  const words = /** @type {Record<string, string>} */ (texts.events)

  list.replaceChildren(...events.map(({ what, ip, device, at }, index) => {
    const item = copyOf('event', { what: words[what] ?? texts.events.unknown, device: texts.device(device), ip: ip ?? '' })
    fillTimes(item, at)
    item.toggleAttribute('data-alarm', /failed|reuse/.test(what))
    item.hidden = index >= FIRST && more.dataset.open !== 'true'
    return item
  }))
  more.hidden = events.length <= FIRST || more.dataset.open === 'true'
  more.onclick = () => {
    more.dataset.open = 'true'
    showEvents(events)
    list.focus()
  }
}
