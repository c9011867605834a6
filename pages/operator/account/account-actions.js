import { byId } from '../../parts/elements.js'
import { can } from '../parts/api.js'
import { actionButton, element } from '../parts/entry.js'
import { runAction } from '../parts/run-action.js'
import { saveData } from './save-data.js'

/**
 * @typedef {import('../accounts/accounts.js').Account} Account
 * @typedef {import('./account.js').Factors} Factors
 * @typedef {{ name: string, label: string, lead: string, done: string, isHarmless?: boolean }} Action
 */

/** @param {number} count @param {string} word */
const some = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`

/**
 * What can be done with an account as it is now, and what will happen.
 * @param {Account} user @param {boolean} isOperator @param {Factors} factors @param {number} sessions
 * @returns {Action[]}
 */
function actionsOf ({ email, emailVerifiedAt, disabledAt }, isOperator, { hasPassword, passkeys, totp }, sessions) {
  const disable = {
    name: 'disable',
    label: 'Disable',
    lead: `Sign-in is refused until the account is enabled again. ${some(sessions, 'session')} will end at once, and ` +
      'links in mails stop working. No mail is sent.',
    done: 'The account is disabled.',
  }
  const enable = {
    name: 'enable',
    label: 'Enable',
    lead: 'The owner can sign in again. Sessions that ended do not come back.',
    done: 'The account is enabled.',
    isHarmless: true,
  }
  const verify = {
    name: 'verify-email',
    label: 'Confirm the address',
    lead: `You vouch that ${email} belongs to the owner. No mail is sent.`,
    done: 'The address is confirmed.',
    isHarmless: true,
  }
  const resetFactors = {
    name: 'reset-factors',
    label: 'Remove second factors',
    lead: `${some(passkeys, 'passkey')}${totp ? ', the authenticator app' : ''} and the recovery codes will be ` +
      'removed. The password alone is enough then. The owner is told by mail. Do this only for an owner who has ' +
      `proved who they are.${isOperator
? ' The account will not be an operator any more: only gatehouse operator ' +
      'add on the command line gives the right again.'
: ''}`,
    done: `The second factors are removed.${isOperator ? ' The account is not an operator any more.' : ''}`,
  }
  const expire = {
    name: 'expire-password',
    label: 'Expire the password',
    lead: `For a password that leaked. It is wrong from now on, and ${some(sessions, 'session')} will end. ` +
      `${emailVerifiedAt ? `A mail to ${email} tells the owner` : 'The owner has'} to choose another one through a ` +
      'reset.',
    done: 'The password is expired.',
  }
  return [
    disabledAt ? enable : disable,
    ...emailVerifiedAt || !can('users:email') ? [] : [verify],
    {
      name: 'send-reset-mail',
      label: 'Send a reset mail',
      lead: `${email} gets a link to choose a new password. The present password stays valid until then.`,
      done: 'The mail will be sent.',
      isHarmless: true,
    },
    {
      name: 'end-sessions',
      label: 'End all sessions',
      lead: `${some(sessions, 'session')} will end. The owner has to sign in again everywhere.`,
      done: 'All sessions have ended.',
    },
    ...hasPassword ? [expire] : [],
    ...passkeys > 0 || totp ? [resetFactors] : [],
  ]
}

/**
 * @param {Account} user
 * @param {boolean} isOperator
 * @param {Factors} factors
 * @param {number} sessions
 * @param {() => Promise<unknown>} reload
 */
export function showActions (user, isOperator, factors, sessions, reload) {
  const path = `/users/${user.id}`
  const list = byId('actions', HTMLElement)
  const isForbidden = isOperator && !can('operators:write')
  if (isForbidden || !can('users:write')) {
    const reason = isForbidden
      ? 'Only an administrator can change the account of an operator.'
      : 'Your role does not change accounts.'
    list.replaceChildren(element('li', { class: 'hint' }, reason))
    return
  }
  const buttons = actionsOf(user, isOperator, factors, sessions).map(({ name, label, ...question }) => actionButton({
    label,
    run: button => runAction(button, {
      ...question,
      title: `${label}: ${user.username}?`,
      agree: label,
      path: `${path}/${name}`,
    }, reload),
  }))
  const remove = actionButton({
    label: 'Delete',
    isDanger: true,
    run: button => runAction(button, {
      title: `Delete: ${user.username}?`,
      lead: 'The account and all its data will be deleted at once. This cannot be undone. Only an event with its id ' +
        'remains.',
      agree: 'Delete',
      method: 'DELETE',
      path,
      done: 'The account is deleted.',
      typed: user.username,
    }, () => location.replace('/operator/accounts')),
  })
  const download = actionButton({
    label: 'Download the data',
    run: button => runAction(button, {
      title: `Download the data of ${user.username}?`,
      lead: 'Everything that is stored about the account, as a file: the same that the owner can download. The owner ' +
        'sees in the list of events that an operator did so. Do this only if the owner asked for it.',
      agree: 'Download',
      isHarmless: true,
      path: `${path}/export`,
      done: 'The data is downloaded.',
      receive: saveData,
    }, reload),
  })
  list.replaceChildren(...[
    ...buttons,
    ...can('users:export') ? [download] : [],
    ...can('users:delete') ? [remove] : [],
  ].map(button => element('li', {}, button)))
}
