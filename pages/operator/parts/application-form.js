import { GatehouseError } from '../../client.js'
import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'

/**
 * @typedef {'web' | 'public' | 'machine'} Kind
 * @typedef {{ name: string, redirectUris: string[], postLogoutUris: string[], backchannelLogoutUrl: string | null,
 *   trusted: boolean, pkceOptional: boolean, resources: string[], serves: string | null, keys: PublicKey[],
 *   dpopRequired: boolean, device: boolean }} Settings
 * @typedef {{ kty: string, crv?: string, kid?: string }} PublicKey
 * @typedef {Settings & { clientId: string, kind: Kind, createdAt: string, changedAt: string,
 *   registration: 'document' | 'dynamic' | null, documentUrl: string | null,
 *   lastUsedAt: string | null, suspendedAt: string | null, users: number }} Application
 */

/** @type {Record<Kind, string>} */
export const KINDS = { web: 'On a server', public: 'In a browser or on a device', machine: 'Signs no user in' }

const dialog = byId('application-dialog', HTMLDialogElement)
const form = byId('application-form', HTMLFormElement)

const wordsOf = (text = '') => text.split(/\s+/).filter(Boolean)
const linesOf = (text = '') => text.split('\n').map(line => line.trim()).filter(Boolean)

/** A JWK, a list or a set of them. @param {string} [text] @returns {PublicKey[]} */
function keysIn (text) {
  if (!text?.trim()) return []
  try {
    const read = JSON.parse(text)
    return read.keys ?? [read].flat()
  } catch {
    throw new GatehouseError(400, { message: 'The public keys are no JWK.' })
  }
}

/** What an application of this kind has. @param {Kind} kind @param {Record<string, string>} fields */
function settingsOf (kind, fields) {
  const { name, redirectUris, postLogoutUris, backchannelLogoutUrl, trusted, pkceOptional } = fields
  const { resources, serves, keys, dpopRequired, device } = fields
  const all = {
    name,
    resources: linesOf(resources),
    dpopRequired: Boolean(dpopRequired),
    ...(kind !== 'public' && { keys: keysIn(keys) }),
  }
  if (kind === 'machine') return { ...all, serves: serves || null }
  return {
    ...all,
    redirectUris: wordsOf(redirectUris),
    postLogoutUris: wordsOf(postLogoutUris),
    backchannelLogoutUrl: backchannelLogoutUrl ?? null,
    trusted: Boolean(trusted),
    device: Boolean(device),
    ...(kind === 'web' && { pkceOptional: Boolean(pkceOptional) }),
  }
}

/** @param {PublicKey[]} keys */
const textOfKeys = keys => keys.length > 0 ? JSON.stringify({ keys }, null, 2) : ''

/** Only the fields that this kind has. */
function showFields () {
  const kind = String(new FormData(form).get('kind'))
  for (const part of form.querySelectorAll('[data-kinds]')) {
    part.toggleAttribute('hidden', !part.getAttribute('data-kinds')?.split(' ').includes(kind))
  }
}

/** Opens the form, empty or with the settings of an application. @param {Application} [application] */
export function openForm (application) {
  form.reset()
  for (const [name, value] of Object.entries(application ?? {})) {
    const field = /** @type {any} */ (form.elements.namedItem(name))
    if (!field) continue
    if (typeof value === 'boolean') field.checked = value
    else if (name === 'keys') field.value = textOfKeys(/** @type {PublicKey[]} */ (value))
    else field.value = Array.isArray(value) ? value.join('\n') : value ?? ''
  }
  showFields()
  dialog.showModal()
}

/** @param {(settings: Partial<Settings>, kind: Kind) => Promise<unknown>} send Resolves to whether it was sent. */
export function handleApplicationForm (send) {
  form.addEventListener('change', showFields)
  byId('application-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
  handleForm(form, async ({ kind, ...fields }) => {
    if (await send(settingsOf(/** @type {Kind} */ (kind), fields), /** @type {Kind} */ (kind))) dialog.close()
  }, { 400: ({ message }) => message })
}
