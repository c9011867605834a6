import { byId } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { ask } from '../../parts/question.js'
import { can, read } from '../parts/api.js'
import { changeConfirmed } from '../parts/confirm-identity.js'
import { handleDeliveries } from './deliveries.js'
import { actionButton, badge, breakable, element, showFacts, timeOf } from '../parts/entry.js'
import { openPage, problemOf } from '../parts/open-page.js'
import { runAction } from '../parts/run-action.js'
import { showSecret } from '../parts/secret-dialog.js'

/** @typedef {import('../webhooks/webhooks.js').Webhook} Webhook */

const id = location.pathname.split('/').at(-1) ?? ''
const path = `/webhooks/${id}`

/** @param {Webhook} webhook */
function showState ({ events, notify, createdAt, succeededAt, pausedAt, pausedFor, application }) {
  const chosen = events.includes('*') ? 'All' : events.join(', ')
  const wanted = application ? `Sign-outs, for the application ${application.name}` : chosen
  showFacts(byId('facts', HTMLElement), [
    ['State', pausedAt ? badge([`Paused: ${pausedFor ?? ''}`, 'failure']) : badge(['Active', 'success'])],
    ['Events', wanted],
    ['Added', timeOf(createdAt)],
    ['Last delivered', succeededAt ? timeOf(succeededAt) : 'Never'],
    ['Mail when paused', notify ?? 'No address'],
  ])
}

async function rotate () {
  const agrees = await ask({
    title: 'Make a new secret?',
    lead: 'It is shown once. For 24 hours, messages are signed with the old one, too.',
    agree: 'New secret',
  })
  if (!agrees) return
  try {
    const response = await changeConfirmed('POST', `${path}/rotate`)
    if (response) await showSecret((await response.json()).secret)
  } catch (error) {
    showMessage(byId('status', HTMLElement), problemOf(error))
  }
}

/** @param {Webhook} webhook */
function showActions ({ url, pausedAt, application }) {
  if (!can('webhooks:write')) return
  const pause = {
    title: 'Pause this webhook?',
    lead: 'Messages are kept and sent when it is resumed, at most 30 days later.',
    agree: 'Pause',
    path: `${path}/pause`,
    done: 'The webhook is paused.',
  }
  const resume = {
    title: 'Resume this webhook?',
    lead: 'The messages that wait are sent at once.',
    agree: 'Resume',
    isHarmless: true,
    path: `${path}/resume`,
    done: 'The webhook is active.',
  }
  const remove = {
    title: `Remove ${url}?`,
    lead: 'Messages that wait are not sent, and the list of those that were sent is deleted. This cannot be undone.',
    agree: 'Remove',
    method: 'DELETE',
    path,
    done: 'The webhook is removed.',
  }
  const change = pausedAt ? resume : pause
  byId('actions', HTMLElement).replaceChildren(...[
    actionButton({ label: change.agree, run: button => runAction(button, change, load) }),
    // That of an application has no secret, and stays as long as the application.
    ...application
      ? []
      : [
          actionButton({ label: 'New secret', run: rotate }),
          actionButton({
            label: 'Remove',
            isDanger: true,
            run: button => runAction(button, remove, () => location.replace('/operator/webhooks')),
          }),
        ],
  ].map(button => element('li', {}, button)))
}

const showDeliveries = handleDeliveries(path)

async function load () {
  /** @type {[{ webhook: Webhook }, void]} */
  const [{ webhook }] = await Promise.all([read(path), showDeliveries()])
  byId('url', HTMLElement).replaceChildren(...breakable(webhook.url))
  showState(webhook)
  showActions(webhook)
  byId('webhook', HTMLElement).hidden = false
}

await openPage(load)
