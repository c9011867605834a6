import { fillTimes } from '../../parts/dates.js'
import { byId, cloneTemplate } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { read } from '../parts/api.js'
import { handleNewAccount } from './new-account.js'
import { openPage, problemOf } from '../parts/open-page.js'

/**
 * @typedef {{ id: string, username: string, email: string, name: string | null, emailVerifiedAt: string | null,
 *   disabledAt: string | null, createdAt: string }} Account
 * @typedef {{ users: Account[], next: string | null, count: number, isCountExact: boolean }} Page
 */

/** Milliseconds without a key before the search begins. */
const DEBOUNCE = 200
const PAGE_SIZE = '25'

const input = byId('search', HTMLInputElement)
const list = byId('accounts', HTMLElement)
const more = byId('more', HTMLButtonElement)
const count = byId('count', HTMLElement)
const status = byId('status', HTMLElement)
let cursor = ''
/** Ends the search before: the last one wins. */
let searching = new AbortController()

/** @param {Account} account */
function rowOf ({ id, username, email, name, emailVerifiedAt, disabledAt, createdAt }) {
  const row = cloneTemplate('account', { username, email, name: name ? ` · ${name}` : '' })
  row.querySelector('a')?.setAttribute('href', `/operator/accounts/${encodeURIComponent(id)}`)
  row.querySelector('[data-flag=disabled]')?.toggleAttribute('hidden', !disabledAt)
  row.querySelector('[data-flag=unverified]')?.toggleAttribute('hidden', emailVerifiedAt !== null)
  fillTimes(row, createdAt)
  return row
}

/** @param {Page} page */
function countText ({ count, isCountExact }) {
  const found = input.value.trim() ? 'found' : 'in total'
  return `${isCountExact ? '' : 'More than '}${count.toLocaleString('en')} account${count === 1 ? '' : 's'} ${found}`
}

/** @param {boolean} isNextPage */
async function search (isNextPage = false) {
  searching.abort()
  searching = new AbortController()
  const { signal } = searching
  const q = input.value.trim()
  const query = new URLSearchParams({ limit: PAGE_SIZE, ...(q && { q }), ...(isNextPage && { cursor }) })
  try {
    /** @type {Page} */
    const page = await read(`/users?${query}`, signal)
    if (signal.aborted) return
    showMessage(status, '')
    const rows = page.users.map(rowOf)
    if (isNextPage) list.append(...rows)
    else list.replaceChildren(...rows)
    count.textContent = countText(page)
    cursor = page.next ?? ''
    more.hidden = !cursor
    if (isNextPage) rows[0]?.querySelector('a')?.focus()
  } catch (error) {
    if (!signal.aborted) showMessage(status, problemOf(error))
  }
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
  timer = setTimeout(() => {
    const q = input.value.trim()
    history.replaceState(null, '', q ? `?${new URLSearchParams({ q })}` : location.pathname)
    search()
  }, DEBOUNCE)
})
input.addEventListener('keydown', event => {
  if (event.key === 'Enter') list.querySelector('a')?.click()
  moveFocus(event)
})
list.addEventListener('keydown', moveFocus)
more.addEventListener('click', () => search(true))
handleNewAccount()

await openPage(async () => {
  input.value = new URLSearchParams(location.search).get('q') ?? ''
  input.focus()
  await search()
})
