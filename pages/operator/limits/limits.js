import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { can, read } from '../parts/api.js'
import { entry, showRows } from '../parts/entry.js'
import { openPage } from '../parts/open-page.js'
import { runAction } from '../parts/run-action.js'

/**
 * @typedef {{ limit: string, subject: 'address' | 'user' | 'session' | 'login', who: string, userId: string | null,
 *   username: string | null, count: number, max: number, reached: boolean, resetSeconds: number }} Limit
 */

const list = byId('limits', HTMLElement)
/** What each limit is, and what it counts. @type {Record<string, { title: string, counts: string }>} */
const WORDS = JSON.parse(list.dataset.words ?? '{}')

/** "Login from 203.0.113.7". @param {Limit} limit @param {string} typed What was searched for. */
function titleOf ({ limit, subject, who, username }, typed) {
  const of = {
    address: `from ${who}`,
    application: `of the application ${who}`,
    user: `of ${username ?? `account ${who}`}`,
    session: username ? `of a session of ${username}` : `of the session ${who}`,
    login: typed ? `to ${who}` : `to the login name with the hash ${who}…`,
  }
  return `${WORDS[limit]?.title ?? limit} ${of[subject]}`
}

/** @param {string} name */
const titleOfName = name => WORDS[name]?.title.toLowerCase() ?? name

/** @param {number} seconds */
function inWords (seconds) {
  const minutes = Math.ceil(seconds / 60)
  return minutes > 1 ? `in ${minutes} minutes` : 'within a minute'
}

/** @param {string} who */
const isAddress = who => /^(\d+\.){3}\d+$|:/.test(who)

/** How the API finds these limits again. @param {string} who */
const queryFor = who => new URLSearchParams(isAddress(who) ? { address: who } : { account: who })

/** @param {Limit} row @param {string} typed What was searched for. */
function rowOf (row, typed) {
  const { limit, subject, who, userId, count, max, reached, resetSeconds } = row
  // The API clears what belongs to a client or a login name, but a list of all has only hashes of the names.
  const clearable = typed || (subject === 'address' ? who.replace(/\/64$/, '') : '')
  return entry({
    title: titleOf(row, typed),
    href: userId ? `/operator/accounts/${encodeURIComponent(userId)}` : undefined,
    badges: reached ? [['Reached', 'failure']] : [],
    details: [[`${WORDS[limit]?.counts ?? limit}: ${count} of ${max.toLocaleString('en')}`,
      ...count > 0 ? [`, forgotten ${inWords(resetSeconds)}`] : []]],
    actions: clearable && count > 0 && can('limits:write')
      ? [{
          label: 'Clear',
          run: button => runAction(button, {
            title: `Clear the limits of ${clearable}?`,
            lead: 'All counters of this client or login name start again at zero. Attempts that were refused are ' +
              'possible at once, also those of an attacker.',
            agree: 'Clear',
            method: 'DELETE',
            path: `/limits?${queryFor(clearable)}`,
            done: ({ cleared }) => `Cleared: ${cleared.map(titleOfName).join(', ') || 'nothing'}.`,
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
