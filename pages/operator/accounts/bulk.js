import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { read } from '../parts/api.js'
import { changeConfirmed } from '../parts/confirm-identity.js'
import { entry } from '../parts/entry.js'
import { fieldsOf } from '../parts/filters.js'
import { problemOf } from '../parts/open-page.js'
import { showMessage } from '../../parts/notice.js'

/**
 * @typedef {{ id: string, username: string | null, reason: string }} Skipped
 * @typedef {{ done: number, unchanged: number, skipped: Skipped[] }} Result
 */

/** Accounts in one request: the progress is shown after each. */
const BATCH = 50
/** The others are only counted. */
const MAX_SHOWN = 100

const dialog = byId('bulk-dialog', HTMLDialogElement)
const form = byId('bulk-form', HTMLFormElement)
const typed = byId('bulk-typed', HTMLInputElement)
const submit = byId('bulk-submit', HTMLButtonElement)
const running = byId('bulk-run', HTMLElement)
const open = byId('bulk-open', HTMLButtonElement)
const state = byId('bulk-state', HTMLElement)
const stop = byId('bulk-stop', HTMLButtonElement)
const close = byId('bulk-close', HTMLButtonElement)

/** @param {number} count */
const accounts = count => `${count.toLocaleString('en')} account${count === 1 ? '' : 's'}`

/** All accounts that the search finds now: what begins to match later is left alone. @param {object} filter */
async function findIds (filter) {
  const ids = /** @type {string[]} */ ([])
  for (let after = ''; ;) {
    const page = await read(`/users/ids?${new URLSearchParams({ ...filter, ...(after && { after }) })}`)
    ids.push(...page.ids)
    if (!page.next) return ids
    after = page.next
  }
}

/** @param {Result} total */
function describe ({ done, unchanged, skipped }) {
  const [others, left] = [unchanged, skipped.length].map(count => count.toLocaleString('en'))
  return `${accounts(done)} changed, ${others} unchanged, ${left} skipped.`
}

/** Sends one batch after the other until all are done, or the operator stops. @returns {Promise<Result>} */
async function changeAll (/** @type {string} */ action, /** @type {string[]} */ ids, /** @type {object} */ filter) {
  const total = { done: 0, unchanged: 0, skipped: /** @type {Skipped[]} */ ([]) }
  const progress = byId('bulk-progress', HTMLProgressElement)
  progress.max = ids.length
  const stopping = new AbortController()
  stop.onclick = () => stopping.abort()
  try {
    for (let start = 0; start < ids.length && !stopping.signal.aborted; start += BATCH) {
      progress.value = start
      state.textContent = `${start.toLocaleString('en')} of ${accounts(ids.length)}`
      const batch = ids.slice(start, start + BATCH)
      const response = await changeConfirmed('POST', `/users/bulk/${action}`, { ids: batch, filter })
      if (!response) break
      /** @type {Result} */
      const { done, unchanged, skipped } = await response.json()
      total.done += done
      total.unchanged += unchanged
      total.skipped.push(...skipped)
    }
    state.textContent = describe(total)
  } catch (error) {
    state.textContent = `${problemOf(error)} ${describe(total)}`
  }
  progress.value = Math.min(ids.length, total.done + total.unchanged + total.skipped.length)
  return total
}

/** @param {Result} total */
function showReport ({ skipped }) {
  byId('bulk-skipped', HTMLElement).replaceChildren(...skipped.slice(0, MAX_SHOWN).map(({ id, username, reason }) =>
    entry({ title: username ?? `Account ${id}`, href: `/operator/accounts/${id}`, details: [[reason]] })))
  stop.hidden = true
  close.hidden = false
  close.focus()
}

/**
 * Changes all accounts that the search has found: first their number, then the progress, then a report.
 * @param {HTMLFormElement} filters @param {() => unknown} reload
 */
export function handleBulk (filters, reload) {
  const fail = (/** @type {unknown} */ error) => showMessage(byId('status', HTMLElement), problemOf(error))
  let ids = /** @type {string[]} */ ([])
  /** @type {Record<string, string>} */
  let filter = {}

  open.addEventListener('click', async () => {
    const { sort: _, ...fields } = fieldsOf(filters)
    filter = fields
    open.disabled = true
    try {
      ids = await findIds(filter)
    } catch (error) {
      return fail(error)
    } finally {
      open.disabled = false
    }
    form.reset()
    submit.disabled = true
    byId('bulk-lead', HTMLElement).textContent = `The search finds ${accounts(ids.length)}. Accounts of operators ` +
      'are skipped, and so are accounts that no longer match when their turn comes. You can stop at any time.'
    byId('bulk-expected', HTMLElement).textContent = String(ids.length)
    form.hidden = false
    running.hidden = true
    dialog.showModal()
  })

  typed.addEventListener('input', () => { submit.disabled = typed.value.trim() !== String(ids.length) })
  byId('bulk-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => {
    stop.click()
    reload()
  })
  // The Escape key closes no dialog whose work goes on.
  dialog.addEventListener('cancel', event => { if (!running.hidden && close.hidden) event.preventDefault() })
  handleForm(form, async ({ action = '' }) => {
    form.hidden = true
    running.hidden = false
    stop.hidden = false
    close.hidden = true
    byId('bulk-skipped', HTMLElement).replaceChildren()
    const title = byId('bulk-run-title', HTMLElement)
    title.textContent = byId('bulk-action', HTMLSelectElement).selectedOptions[0]?.text ?? action
    title.focus()
    showReport(await changeAll(action, ids, filter))
  })
}
