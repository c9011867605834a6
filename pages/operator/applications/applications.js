import { byId } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { read } from '../parts/api.js'
import { handleApplicationForm, KINDS, openForm } from '../parts/application-form.js'
import { changeConfirmed } from '../parts/confirm-identity.js'
import { entry, showRows, timeOf } from '../parts/entry.js'
import { openPage, problemOf } from '../parts/open-page.js'
import { showSecret } from '../parts/secret-dialog.js'

/**
 * @typedef {import('../parts/application-form.js').Application} Application
 * @typedef {import('../parts/entry.js').Badge} Badge
 */

/** @type {Badge} */
const SUSPENDED = ['Suspended', 'failure']
/** @type {Badge} */
const TRUSTED = ['Trusted', 'plain']

/** @type {Badge} */
const UNVERIFIED = ['Registered itself', 'failure']

/** @param {Application} application */
const rowOf = ({ clientId, name, kind, trusted, registration, documentUrl, lastUsedAt, suspendedAt, users }) => entry({
  title: name,
  href: `/operator/applications/${clientId}`,
  badges: [...suspendedAt ? [SUSPENDED] : [], ...trusted ? [TRUSTED] : [], ...registration ? [UNVERIFIED] : []],
  details: [
    ...documentUrl ? [[documentUrl]] : [],
    [KINDS[kind], ...kind === 'machine' ? [] : [` · ${users} signed in`]],
    lastUsedAt ? ['Last used ', timeOf(lastUsedAt)] : ['Never used'],
  ],
})

const more = byId('more', HTMLButtonElement)
let cursor = ''

/** The first page of those that registered themselves, or the next one. */
async function showRegistered () {
  /** @type {{ apps: Application[], next: string | null }} */
  const { apps, next } = await read(`/apps/registered?${new URLSearchParams(cursor ? { cursor } : {})}`)
  const rows = apps.map(rowOf)
  byId('registered', HTMLElement).append(...rows)
  if (rows.length > 0) byId('registered-section', HTMLElement).hidden = false
  if (cursor) rows[0]?.querySelector('a')?.focus()
  cursor = next ?? ''
  more.hidden = !cursor
}

async function show () {
  /** @type {{ apps: Application[] }} */
  const { apps } = await read('/apps')
  showRows(byId('applications', HTMLElement), apps.map(rowOf))
  await showRegistered()
}

more.addEventListener('click', () => showRegistered().catch(error => {
  showMessage(byId('status', HTMLElement), problemOf(error))
}))

byId('add', HTMLButtonElement).addEventListener('click', () => openForm())
handleApplicationForm(async (settings, kind) => {
  const response = await changeConfirmed('POST', '/apps', { kind, ...settings })
  if (!response) return false
  const { app, secret } = await response.json()
  if (secret) await showSecret(secret)
  // With what else to enter into the application.
  location.assign(`/operator/applications/${app.clientId}`)
  return new Promise(() => {})
})

await openPage(show)
