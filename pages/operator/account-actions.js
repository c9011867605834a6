// @ts-check
import { isBusy, setBusy } from '../busy.js'
import { byId } from '../elements.js'
import { showMessage } from '../notice.js'
import { ask } from '../question.js'
import { changeConfirmed } from './confirm-identity.js'
import { problemOf } from './open-page.js'

/**
 * @typedef {import('./accounts.js').Account} Account
 * @typedef {import('./account.js').Factors} Factors
 * @typedef {{ name: string, label: string, lead: string, done: string, method?: string, isHarmless?: boolean }} Action
 */

/** @param {number} count @param {string} word */
const some = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`

/**
 * What can be done with an account as it is now, and what will happen.
 * @param {Account} user @param {Factors} factors @param {number} sessions @returns {Action[]}
 */
function actionsOf ({ email, emailVerifiedAt, disabledAt }, { passkeys, totp }, sessions) {
  const isProtected = passkeys > 0 || totp
  return [
    ...disabledAt
      ? [{
          name: 'enable',
          label: 'Enable',
          lead: 'The owner can sign in again. Sessions that ended do not come back.',
          done: 'The account is enabled.',
          isHarmless: true,
        }]
      : [{
          name: 'disable',
          label: 'Disable',
          lead: `Sign-in is refused until the account is enabled again. ${some(sessions, 'session')} will end at ` +
            'once, and links in mails stop working. No mail is sent.',
          done: 'The account is disabled.',
        }],
    ...emailVerifiedAt
      ? []
      : [{
          name: 'verify-email',
          label: 'Confirm the address',
          lead: `You vouch that ${email} belongs to the owner. No mail is sent.`,
          done: 'The address is confirmed.',
          isHarmless: true,
        }],
    {
      name: 'send-reset-mail',
      label: 'Send a reset mail',
      lead: `${email} gets a link to choose a new password. The password of now stays valid until then.`,
      done: 'The mail will be sent.',
      isHarmless: true,
    },
    {
      name: 'end-sessions',
      label: 'End all sessions',
      lead: `${some(sessions, 'session')} will end. The owner has to sign in again everywhere.`,
      done: 'All sessions have ended.',
    },
    ...isProtected
      ? [{
          name: 'reset-factors',
          label: 'Remove second factors',
          lead: `${some(passkeys, 'passkey')}${totp ? ', the authenticator app' : ''} and the recovery codes will be ` +
            'removed. The password alone is enough then. The owner is told by mail. Do this only for an owner who ' +
            'has proved who they are.',
          done: 'The second factors are removed.',
        }]
      : [],
    {
      name: '',
      method: 'DELETE',
      label: 'Delete',
      lead: 'The account and all its data will be deleted at once. This cannot be undone. Only an event with its id ' +
        'remains.',
      done: 'The account is deleted.',
    },
  ]
}

/**
 * @param {Account} user
 * @param {Factors} factors
 * @param {number} sessions
 * @param {() => Promise<unknown>} reload
 */
export function showActions (user, factors, sessions, reload) {
  const status = byId('status', HTMLElement)

  /** @param {Action} action @param {HTMLButtonElement} button */
  async function run ({ name, method = 'POST', label, lead, done, isHarmless }, button) {
    if (isBusy(button)) return
    byId('question-agree', HTMLButtonElement).className = isHarmless ? 'primary' : 'danger'
    if (!await ask({ title: `${label}: ${user.username}?`, lead, agree: label })) return
    setBusy(button, true)
    showMessage(status, '')
    try {
      const response = await changeConfirmed(method, `/users/${user.id}${name && `/${name}`}`)
      if (!response) return
      if (method === 'DELETE') return location.replace('/operator/accounts')
      const { changed } = await response.json()
      await reload()
      showMessage(status, changed ? done : 'There was nothing to do.', 'success')
    } catch (error) {
      showMessage(status, problemOf(error))
    } finally {
      setBusy(button, false)
      byId('username', HTMLElement).focus()
    }
  }

  byId('actions', HTMLElement).replaceChildren(...actionsOf(user, factors, sessions).map(action => {
    const [item, button] = [document.createElement('li'), document.createElement('button')]
    button.type = 'button'
    button.textContent = action.label
    if (action.method === 'DELETE') button.className = 'danger'
    button.addEventListener('click', () => run(action, button))
    item.append(button)
    return item
  }))
}
