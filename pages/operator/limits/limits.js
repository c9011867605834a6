import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { read } from '../parts/api.js'
import { entry, showRows } from '../parts/entry.js'
import { openPage } from '../parts/open-page.js'
import { runAction } from '../parts/run-action.js'

/**
 * @typedef {{ limit: string, subject: 'address' | 'user' | 'session' | 'login', who: string, count: number,
 *   max: number, reached: boolean, resetSeconds: number }} Limit
 */

const list = byId('limits', HTMLElement)
/** What each limit counts. @type {Record<string, string>} */
const COUNTS = JSON.parse(list.dataset.counts ?? '{}')
const SUBJECTS = {
  address: 'Client', user: 'Account', session: 'Session', login: 'Login name', application: 'Application',
}

/** @param {string} who */
const isAddress = who => /^(\d+\.){3}\d+$|:/.test(who)

/** How the API finds these limits again. @param {string} who */
const queryFor = who => new URLSearchParams(isAddress(who) ? { address: who } : { account: who })

/** @param {Limit} limit @param {string} typed What was searched for. */
function rowOf ({ limit, subject, who, count, max, reached, resetSeconds }, typed) {
  // The API clears what belongs to a client or a login name, but a list of all has only hashes of the names.
  const clearable = typed || (subject === 'address' ? who.replace(/\/64$/, '') : '')
  const minutes = Math.ceil(resetSeconds / 60)
  return entry({
    title: subject === 'login' && !typed ? `Login name with the hash ${who}…` : `${SUBJECTS[subject]} ${who}`,
    href: subject === 'user' ? `/operator/accounts/${encodeURIComponent(who)}` : undefined,
    badges: reached ? [['Reached', 'failure']] : [],
    details: [[`${COUNTS[limit] ?? limit}: ${count} of ${max.toLocaleString('en')}, forgotten in ${minutes} min`]],
    actions: clearable && count > 0
      ? [{
          label: 'Clear',
          run: button => runAction(button, {
            title: `Clear the limits of ${clearable}?`,
            lead: 'All counters of this client or login name start again at zero. Attempts that were refused are ' +
              'possible at once, also those of an attacker.',
            agree: 'Clear',
            method: 'DELETE',
            path: `/limits?${queryFor(clearable)}`,
            done: ({ cleared }) => `Cleared: ${cleared.join(', ') || 'nothing'}.`,
          }, () => show(typed)),
        }]
      : [],
  })
}

/** @param {string} who */
async function show (who) {
  /** @type {{ limits: Limit[], isComplete: boolean }} */
  const { limits, isComplete } = await read(`/limits${who ? `?${queryFor(who)}` : ''}`)
  showRows(list, limits.map(limit => rowOf(limit, who)), 'Nothing has been counted.')
  byId('incomplete', HTMLElement).hidden = isComplete
}

handleForm(byId('find', HTMLFormElement), ({ who = '' }) => show(who.trim()), { 400: ({ message }) => message })
await openPage(() => show(''))
