import { withFields } from '../parts/changed-fields.js'
import { fillTimes } from '../parts/dates.js'
import { byId, cloneTemplate } from '../parts/elements.js'
import { isolate } from '../parts/isolate.js'
import { texts } from '../parts/texts.js'

/** Events shown before the user clicks "Show all". */
const INITIAL_EVENTS = 6

/**
 * @typedef {{ what: string, ip: string | null, device: string, changed?: string[], byOperator: boolean,
 *   at: string }} SecurityEvent
 */

/** @param {SecurityEvent[]} events */
export function showEvents (events) {
  const list = byId('events', HTMLElement)
  const more = byId('more-events', HTMLButtonElement)
  const names = /** @type {Record<string, string>} */ (texts.events)

  list.replaceChildren(...events.map(({ what, ip, device, changed, byOperator, at }, index) => {
    const item = cloneTemplate('event', {
      what: withFields(names[what] ?? texts.events.unknown, changed),
      client: byOperator ? texts.dashboard.byOperator : texts.device(device),
      ip: byOperator || !ip ? '' : isolate(ip),
    })
    fillTimes(item, at)
    item.toggleAttribute('data-alarm', /failed|reuse/.test(what))
    item.hidden = index >= INITIAL_EVENTS && more.dataset.open !== 'true'
    return item
  }))
  more.hidden = events.length <= INITIAL_EVENTS || more.dataset.open === 'true'
  more.onclick = () => {
    more.dataset.open = 'true'
    showEvents(events)
    list.focus()
  }
}
