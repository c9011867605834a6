import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { read } from '../parts/api.js'
import { changeConfirmed } from '../parts/confirm-identity.js'
import { entry, showRows, timeOf } from '../parts/entry.js'
import { openPage } from '../parts/open-page.js'
import { showSecret } from '../parts/secret-dialog.js'

/**
 * @typedef {{ id: string, url: string, events: string[], notify: string | null, createdAt: string,
 *   succeededAt: string | null, pausedAt: string | null, pausedFor: string | null,
 *   application: { id: string, name: string } | null }} Webhook
 */

const dialog = byId('add-dialog', HTMLDialogElement)
const form = byId('add-form', HTMLFormElement)

/** @param {Webhook} webhook */
const eventsOf = ({ events, application }) => {
  if (application) return `Sign-outs, for the application ${application.name}`
  return events.includes('*') ? 'All events' : events.join(', ')
}

/** @param {Webhook} webhook */
const rowOf = webhook => entry({
  title: webhook.url,
  href: `/operator/webhooks/${webhook.id}`,
  badges: webhook.pausedAt ? [['Paused', 'failure']] : [['Active', 'success']],
  details: [
    [eventsOf(webhook)],
    webhook.succeededAt ? ['Last delivered ', timeOf(webhook.succeededAt)] : ['Nothing delivered yet'],
    ...webhook.pausedFor ? [[`Paused: ${webhook.pausedFor}`]] : [],
  ],
})

async function show () {
  /** @type {{ webhooks: Webhook[] }} */
  const { webhooks } = await read('/webhooks')
  showRows(byId('webhooks', HTMLElement), webhooks.map(rowOf))
}

/** Either all, or those that are chosen. */
function handleChoice () {
  const [all, ...others] = form.querySelectorAll('input[type=checkbox]')
  form.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'checkbox') return
    for (const input of target === all ? others : all ? [all] : []) {
      if (input instanceof HTMLInputElement && target.checked) input.checked = false
    }
  })
}

byId('add', HTMLButtonElement).addEventListener('click', () => {
  form.reset()
  dialog.showModal()
})
byId('add-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
handleChoice()
handleForm(form, async ({ url, notify, ...chosen }) => {
  const body = { url, events: Object.keys(chosen), ...(notify && { notify }) }
  const response = await changeConfirmed('POST', '/webhooks', body)
  if (!response) return
  const { secret } = await response.json()
  dialog.close()
  await showSecret(secret)
  await show()
}, { 400: ({ message }) => message })

await openPage(show)
