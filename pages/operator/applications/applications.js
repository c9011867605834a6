import { byId } from '../../parts/elements.js'
import { read } from '../parts/api.js'
import { handleApplicationForm, KINDS, openForm } from '../parts/application-form.js'
import { changeConfirmed } from '../parts/confirm-identity.js'
import { entry, showRows, timeOf } from '../parts/entry.js'
import { openPage } from '../parts/open-page.js'
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
    lastUsedAt ? ['last used ', timeOf(lastUsedAt)] : ['never used'],
  ],
})

async function show () {
  /** @type {{ apps: Application[] }} */
  const { apps } = await read('/apps')
  showRows(byId('applications', HTMLElement), apps.map(rowOf))
}

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
