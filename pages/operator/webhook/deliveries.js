import { byId } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { can, read } from '../parts/api.js'
import { element, entry, showRows, timeOf } from '../parts/entry.js'
import { problemOf } from '../parts/open-page.js'
import { runAction } from '../parts/run-action.js'

/**
 * @typedef {{ id: string, messageId: string, type: string, accountId: string | null, at: string,
 *   status: 'waiting' | 'delivered' | 'failed', attempts: number, dueAt: string, endedAt: string | null,
 *   answerStatus: number | null, answer: string | null, error: string | null }} Delivery
 */

/** @type {Record<Delivery['status'], import('../parts/entry.js').Badge>} */
const STATES = {
  waiting: ['Waiting', 'plain'],
  delivered: ['Delivered', 'success'],
  failed: ['Failed', 'failure'],
}

/** @param {Delivery} delivery */
function answerOf ({ answerStatus, answer, error }) {
  const summary = error ?? (answerStatus === null ? '' : `Answered with ${answerStatus}`)
  if (!summary) return []
  if (!answer) return [element('p', { class: 'hint' }, summary)]
  return [element('details', {}, element('summary', {}, summary), element('pre', {}, answer))]
}

/**
 * The messages of a webhook, newest first, with the answers of the receiver. The result shows the first page.
 * @param {string} path Of the webhook.
 */
export function handleDeliveries (path) {
  const list = byId('deliveries', HTMLElement)
  const more = byId('more', HTMLButtonElement)
  const state = byId('state', HTMLSelectElement)

  /** @param {Delivery} delivery */
  const rowOf = delivery => entry({
    title: delivery.type,
    badges: [STATES[delivery.status]],
    details: [[
      ...delivery.accountId
        ? [element('a', { href: `/operator/accounts/${encodeURIComponent(delivery.accountId)}` },
            `account ${delivery.accountId}`), ' · ']
        : [],
      timeOf(delivery.at), ` · ${delivery.attempts} ${delivery.attempts === 1 ? 'attempt' : 'attempts'}`,
    ]],
    more: answerOf(delivery),
    actions: delivery.status === 'waiting' || !can('webhooks:write')
      ? []
      : [{
          label: 'Send again',
          run: button => runAction(button, {
            title: 'Send this message again?',
            lead: 'The endpoint gets the same message with the same id once more.',
            agree: 'Send again',
            isHarmless: true,
            path: `${path}/deliveries/${delivery.id}/resend`,
            done: 'The message will be sent again.',
          }, show),
        }],
  })

  /** @param {string} [cursor] */
  async function page (cursor) {
    const query = new URLSearchParams({
      limit: '20',
      ...(state.value && { state: state.value }),
      ...(cursor && { cursor }),
    })
    /** @type {{ deliveries: Delivery[], next: string | null }} */
    const { deliveries, next } = await read(`${path}/deliveries?${query}`)
    const rows = deliveries.map(rowOf)
    if (cursor) list.append(...rows)
    else showRows(list, rows, 'No messages.')
    more.hidden = !next
    more.onclick = () => next && page(next).catch(fail)
  }

  const fail = (/** @type {unknown} */ error) => showMessage(byId('status', HTMLElement), problemOf(error))
  const show = () => page()
  state.addEventListener('change', () => show().catch(fail))
  return show
}
