import { byId, cloneTemplate } from '../../parts/elements.js'
import { read } from '../parts/api.js'
import { badge, timeOf } from '../parts/entry.js'
import { openPage } from '../parts/open-page.js'

/**
 * @typedef {{ id: string, username: string, email: string, role: string, addedAt: string | null,
 *   suspendedAt: string | null, disabledAt: string | null, hasSecondFactor: boolean,
 *   lastUsedAt: string | null }} Operator
 * @typedef {{ name: string, scopes: string[], endedAt: string | null }} Key
 */

/**
 * Whether the operator can sign in here, and why not.
 * @param {Operator} operator @returns {import('../parts/entry.js').Badge}
 */
function stateOf ({ suspendedAt, disabledAt, hasSecondFactor }) {
  if (suspendedAt) return ['Suspended by a restore', 'failure']
  if (disabledAt) return ['Disabled', 'failure']
  return hasSecondFactor ? ['Can sign in', 'success'] : ['No second factor: cannot sign in', 'failure']
}

/** @param {Operator} operator */
function rowOf (operator) {
  const { id, username, email, role, addedAt, lastUsedAt } = operator
  const row = cloneTemplate('operator', { username, email })
  const place = (/** @type {string} */ name) => row.querySelector(`[data-place=${name}]`)
  row.querySelector('a')?.setAttribute('href', `/operator/accounts/${encodeURIComponent(id)}`)
  place('role')?.append(role.replace(/^./, letter => letter.toUpperCase()))
  place('state')?.append(badge(stateOf(operator)))
  place('since')?.append(addedAt ? timeOf(addedAt) : '–')
  place('used')?.append(lastUsedAt ? timeOf(lastUsedAt) : 'Not signed in')
  return row
}

/** @param {Key[]} keys */
function showKeys (keys) {
  const inUse = keys.filter(({ endedAt }) => endedAt === null)
  for (const row of document.querySelectorAll('#rights tr')) {
    const scope = row.getAttribute('data-scope') ?? ''
    const names = inUse.filter(({ scopes }) => scopes.includes(scope)).map(({ name }) => name)
    const place = row.querySelector('[data-place=keys]')
    if (place) place.textContent = names.join(', ') || 'None'
  }
}

await openPage(async () => {
  const [{ operators }, { keys }] = await Promise.all([read('/operators'), read('/keys')])
  byId('operators', HTMLElement).replaceChildren(...operators.map(rowOf))
  byId('operator-table', HTMLElement).hidden = false
  showKeys(keys)
})
