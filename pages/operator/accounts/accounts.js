import { byId, cloneTemplate } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { read } from '../parts/api.js'
import { badge, breakable, element, timeOf } from '../parts/entry.js'
import { fieldsOf, fillFields } from '../parts/filters.js'
import { openPage, problemOf } from '../parts/open-page.js'
import { handleBulk } from './bulk.js'
import { handleNewAccount } from './new-account.js'
import { handleSortButtons } from './sort-buttons.js'

/**
 * @typedef {{ id: string, username: string, email: string, name: string | null, externalId: string | null,
 *   language: string | null, timeZone: string | null, emailVerifiedAt: string | null,
 *   disabledAt: string | null, createdAt: string,
 *   secondFactors: Array<'totp' | 'passkey'>, lastSignInAt: string | null }} Account
 * @typedef {{ users: Account[], next: string | null, count: number, isCountExact: boolean }} Page
 */

/** Milliseconds without a key before the search begins. */
const DEBOUNCE = 200
const PAGE_SIZE = '25'
const FACTORS = { totp: 'Authenticator app', passkey: 'Passkey' }

const form = byId('filters', HTMLFormElement)
const input = byId('search', HTMLInputElement)
const list = byId('accounts', HTMLElement)
const more = byId('more', HTMLButtonElement)
const count = byId('count', HTMLElement)
const status = byId('status', HTMLElement)
const sorting = handleSortButtons(byId('account-table', HTMLElement), byId('sort', HTMLSelectElement), () => apply())
let cursor = ''
/** Ends the search before: the last one wins. */
let searching = new AbortController()

/** @param {string} iso */
const dateOf = iso =>
  element('time', { datetime: iso }, new Date(iso).toLocaleDateString('en', { dateStyle: 'medium' }))

/** @param {Account} account */
function rowOf ({ id, username, email, name, emailVerifiedAt, disabledAt, createdAt, secondFactors, lastSignInAt }) {
  const factors = secondFactors.map(factor => FACTORS[factor]).join(', ') || 'None'
  const row = cloneTemplate('account', { username, name: name ?? '', factors })
  const fill = (/** @type {string} */ place, /** @type {Array<Node | string>} */ ...content) =>
    row.querySelector(`[data-place=${place}]`)?.append(...content)
  row.querySelector('a')?.setAttribute('href', `/operator/accounts/${encodeURIComponent(id)}`)
  fill('email', ...breakable(email))
  fill('state',
    badge(disabledAt ? ['Disabled', 'failure'] : ['Active', 'success']),
    ...emailVerifiedAt ? [] : [' ', badge(['Not confirmed', 'plain'])])
  fill('lastSignIn', lastSignInAt ? timeOf(lastSignInAt) : 'Never')
  fill('created', dateOf(createdAt))
  return row
}

/** @param {Page} page */
function countText ({ count, isCountExact }) {
  const { sort: _, ...filters } = fieldsOf(form)
  const found = Object.keys(filters).length > 0 ? 'found' : 'in total'
  return `${isCountExact ? '' : 'More than '}${count.toLocaleString('en')} account${count === 1 ? '' : 's'} ${found}`
}

/** @param {boolean} isNextPage */
async function search (isNextPage = false) {
  searching.abort()
  searching = new AbortController()
  const { signal } = searching
  const query = new URLSearchParams({ limit: PAGE_SIZE, ...fieldsOf(form), ...(isNextPage && { cursor }) })
  try {
    /** @type {Page} */
    const page = await read(`/users?${query}`, signal)
    if (signal.aborted) return
    showMessage(status, '')
    const rows = page.users.map(rowOf)
    if (isNextPage) list.append(...rows)
    else list.replaceChildren(...rows)
    byId('account-table', HTMLElement).hidden = list.childElementCount === 0
    if (!isNextPage) count.textContent = countText(page)
    cursor = page.next ?? ''
    more.hidden = !cursor
    if (isNextPage) rows[0]?.querySelector('a')?.focus()
  } catch (error) {
    if (!signal.aborted) showMessage(status, problemOf(error))
  }
}

/** Searches by what the form has now, and keeps it in the address of the page. */
function apply () {
  const query = new URLSearchParams(fieldsOf(form)).toString()
  history.replaceState(null, '', query ? `?${query}` : location.pathname)
  sorting.show()
  return search()
}

/** Arrow keys go from the field through the accounts. @param {KeyboardEvent} event */
function moveFocus (event) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (!step || !(event.target instanceof HTMLElement)) return
  const stops = [input, ...list.querySelectorAll('a')]
  const next = stops[stops.indexOf(/** @type {any} */ (event.target)) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer
input.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(apply, DEBOUNCE)
})
for (const select of form.querySelectorAll('select')) select.addEventListener('change', apply)
form.addEventListener('submit', event => event.preventDefault())
input.addEventListener('keydown', event => {
  if (event.key === 'Enter') list.querySelector('a')?.click()
  moveFocus(event)
})
list.addEventListener('keydown', moveFocus)
more.addEventListener('click', () => search(true))
handleNewAccount()
handleBulk(form, () => search())

await openPage(async () => {
  fillFields(form)
  sorting.show()
  input.focus()
  await search()
})
