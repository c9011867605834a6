import { byId } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { ask } from '../../parts/question.js'
import { texts } from '../../parts/texts.js'
import { can, read } from '../parts/api.js'
import { handleApplicationForm, KINDS, openForm } from '../parts/application-form.js'
import { changeConfirmed } from '../parts/confirm-identity.js'
import { actionButton, badge, breakable, element, showFacts, timeOf } from '../parts/entry.js'
import { openPage, problemOf } from '../parts/open-page.js'
import { runAction } from '../parts/run-action.js'
import { showSecret } from '../parts/secret-dialog.js'

/** @typedef {import('../parts/application-form.js').Application} Application */

const path = `/apps/${location.pathname.split('/').at(-1) ?? ''}`
const place = byId('application', HTMLElement)
const status = byId('status', HTMLElement)

/** @param {string} address */
const codeOf = address => element('code', {}, ...breakable(address))

/**
 * With a button that copies it. Browsers have a clipboard only on https and on localhost.
 * @param {string} name @param {string} value @returns {[string, Node]}
 */
function copiedFact (name, value) {
  const shown = document.createDocumentFragment()
  shown.append(codeOf(value))
  if (navigator.clipboard) {
    const button = actionButton({
      label: texts.factors.copy,
      run: () => navigator.clipboard.writeText(value).then(
        () => showMessage(status, texts.factors.copied, 'success'),
        () => showMessage(status, texts.factors.notCopied)),
    })
    button.setAttribute('aria-label', `${texts.factors.copy}: ${name}`)
    shown.append(button)
  }
  return [name, shown]
}

/** @returns {[string, Node]} */
const suspendedFact = () => ['State', badge(['Refused after a restore, until gatehouse restored confirm', 'failure'])]

/** @returns {[string, Node]} */
const unverifiedFact = () => ['State', badge(['Registered itself: not verified', 'failure'])]

/** @param {Application} application */
const hasSecret = ({ kind, keys }) => kind !== 'public' && keys.length === 0

/** @param {import('../parts/application-form.js').PublicKey} key */
const nameOfKey = ({ kid = 'without a kid', kty, crv = kty }) => `${kid}, ${crv}`

/** @param {Application} application */
function showSettings (application) {
  const { clientId, kind, redirectUris, postLogoutUris, backchannelLogoutUrl, trusted, pkceOptional } = application
  const { resources, serves, keys, dpopRequired, registration } = application
  const issuer = place.dataset.issuer ?? ''
  const lines = (/** @type {string[]} */ uris) => uris.length > 0
    ? element('ul', {}, ...uris.map(uri => element('li', {}, codeOf(uri))))
    : 'None'
  showFacts(byId('to-enter', HTMLElement), [
    copiedFact('Issuer', issuer),
    copiedFact('Discovery URL', `${issuer}/.well-known/openid-configuration`),
    copiedFact('Client id', application.documentUrl ?? clientId),
  ])
  byId('secret-hint', HTMLElement).textContent = hasSecret(application)
    ? 'The secret is not stored in readable form: if it is lost, make a new one.'
    : keys.length > 0 ? 'It has no secret: it authenticates with its keys.' : 'It has no secret.'
  showFacts(byId('facts', HTMLElement), [
    ...application.suspendedAt ? [suspendedFact()] : [],
    ...registration ? [unverifiedFact()] : [],
    ['Where it runs', KINDS[kind]],
    ...kind === 'machine'
      ? []
      : /** @type {Array<[string, Node | string]>} */ ([
          ['Redirect URIs', lines(redirectUris)],
          ['Post-logout URIs', lines(postLogoutUris)],
          ['Back-channel logout URL', backchannelLogoutUrl ? codeOf(backchannelLogoutUrl) : 'None'],
          ['Consent of users', trusted ? 'Not asked: trusted' : registration ? 'Asked each time' : 'Asked once'],
          ['PKCE', pkceOptional ? 'Optional' : 'Required'],
          ['Sign-in on other devices', application.device ? 'Allowed' : 'Not allowed'],
          ['Accounts that are signed in', String(application.users)],
        ]),
    ['Resources', lines(resources)],
    ['Its own resource', serves ? codeOf(serves) : 'None'],
    ['Public keys', lines(keys.map(nameOfKey))],
    ['DPoP', dpopRequired ? 'Required' : 'Optional'],
    ['Added', timeOf(application.createdAt)],
    ['Changed', timeOf(application.changedAt)],
    ['Last used', application.lastUsedAt ? timeOf(application.lastUsedAt) : 'Never'],
  ])
}

async function rotate () {
  const agrees = await ask({
    title: 'Make a new secret?',
    lead: 'It is shown once. The present secret is accepted for another 24 hours: enter the new one into the ' +
      'application before. A secret from an earlier change ends at once.',
    agree: 'New secret',
  })
  if (!agrees) return
  try {
    const response = await changeConfirmed('POST', `${path}/rotate-secret`)
    if (response) await showSecret((await response.json()).secret)
    await load()
  } catch (error) {
    showMessage(status, problemOf(error))
  }
}

/** @param {Application} application */
function showActions (application) {
  if (!can('apps:write')) return
  const remove = {
    title: `Remove ${application.name}?`,
    lead: application.documentUrl
      ? 'What it holds ends at once. It can register itself again with its document, while OPENID_REGISTRATION is on.'
      : 'Users cannot sign in to it any more, and what it holds ends at once. Its client id cannot be used again.',
    agree: 'Remove',
    method: 'DELETE',
    path,
    done: 'The application is removed.',
  }
  byId('actions', HTMLElement).replaceChildren(...[
    ...application.registration ? [] : [actionButton({ label: 'Change', run: () => openForm(application) })],
    ...hasSecret(application) && !application.registration ? [actionButton({ label: 'New secret', run: rotate })] : [],
    actionButton({
      label: 'Remove',
      isDanger: true,
      run: button => runAction(button, remove, () => location.replace('/operator/applications')),
    }),
  ].map(button => element('li', {}, button)))
}

async function load () {
  /** @type {{ app: Application }} */
  const { app } = await read(path)
  byId('name-of', HTMLElement).textContent = app.name
  showSettings(app)
  showActions(app)
  place.hidden = false
}

handleApplicationForm(async settings => {
  if (!await changeConfirmed('PATCH', path, settings)) return false
  await load()
  showMessage(status, 'The application is changed.', 'success')
  return true
})

await openPage(load)
