import { isBusy, setBusy } from '../../parts/busy.js'
import { byId } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { can, read } from '../parts/api.js'
import { element, entry, showRows, timeOf } from '../parts/entry.js'
import { openPage, problemOf } from '../parts/open-page.js'
import { runAction } from '../parts/run-action.js'

/**
 * @typedef {{ kind: string, email: string, state: 'waiting' | 'failed', retries: number, createdAt: string,
 *   dueAt: string }} Mail
 * @typedef {{ name: string, scopes: string[], createdAt: string, lastUsedAt: string | null,
 *   endedAt: string | null, suspendedAt: string | null }} Key
 * @typedef {{ kid: string, algorithm: string, signsAt: string, retiredAt: string | null }} SigningKey
 * @typedef {{ unbroken: boolean, since: string | null, isComplete: boolean, seals: number, events: number,
 *   problems: string[] }} Verdict
 */

/** @param {number} count @param {string} word */
const some = (count, word) => `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const format = (/** @type {string} */ iso) => day.format(new Date(iso))
const verify = byId('verify', HTMLButtonElement)

/** @param {Mail} mail */
const mailRow = ({ kind, email, state, retries, createdAt, dueAt }) => entry({
  title: email,
  badges: [state === 'failed' ? ['Failed', 'failure'] : ['Waiting', 'plain']],
  details: [[
    `${kind}, queued `, timeOf(createdAt), `, ${retries} ${retries === 1 ? 'retry' : 'retries'}`,
    ...state === 'waiting' && Date.parse(dueAt) > Date.now() ? [`, tried again at ${format(dueAt)}`] : [],
  ]],
})

/** @param {Key} key */
const keyRow = ({ name, scopes, createdAt, lastUsedAt, endedAt, suspendedAt }) => entry({
  title: name,
  badges: endedAt ? [[suspendedAt ? 'Suspended by a restore' : 'Ended', 'failure']] : [],
  details: [
    [scopes.join(', ')],
    ['Created ', timeOf(createdAt), ...lastUsedAt ? [', last used ', timeOf(lastUsedAt)] : [', never used']],
  ],
  actions: (endedAt && !suspendedAt) || !can('keys:write')
    ? []
    : [{
        label: 'End',
        run: button => runAction(button, {
          title: `End the key ${name}?`,
          lead: 'Requests with this key are refused from now on. This cannot be undone: the system that uses it ' +
            'needs a new key.',
          agree: 'End',
          method: 'DELETE',
          path: `/keys/${encodeURIComponent(name)}`,
          done: 'The key has ended.',
        }, showKeys),
      }],
})

/** @param {SigningKey} key */
const signingKeyRow = ({ kid, algorithm, signsAt, retiredAt }) => entry({
  title: kid,
  badges: retiredAt ? [['Retired', 'plain']] : [['Signs', 'success']],
  details: [[`${algorithm}, since ${format(signsAt)}${retiredAt ? ` until ${format(retiredAt)}` : ''}`]],
})

async function showKeys () {
  const { keys } = await read('/keys')
  showRows(byId('keys', HTMLElement), keys.map(keyRow))
}

async function showAudit () {
  const { latest, since, waiting } = await read('/audit')
  byId('audit', HTMLElement).textContent = latest
    ? `${some(latest.number, 'seal')} over the events since ${format(since)}, the latest of ` +
      `${format(latest.sealedAt)}. Not sealed yet: ${some(waiting, 'event')}.`
    : 'There is no seal yet. Events are sealed once a minute.'
  verify.hidden = !latest
}

/** @param {Verdict} verdict */
function showVerdict ({ unbroken, since, isComplete, seals, events, problems }) {
  const part = `${some(events, 'event')} under ${isComplete ? '' : 'the latest '}${some(seals, 'seal')}`
  const start = since ? ` since ${format(since)}` : ''
  showMessage(byId('verdict', HTMLElement), unbroken
    ? `Unbroken${start}. Verified: ${part}.${isComplete ? '' : ' gatehouse audit verify checks all.'}`
    : `Broken: ${some(problems.length, 'problem')} in ${part}.`, unbroken ? 'success' : 'failure')
  byId('problems', HTMLElement).replaceChildren(...problems.map(problem => element('li', {}, problem)))
}

verify.addEventListener('click', async () => {
  if (isBusy(verify)) return
  setBusy(verify, true)
  await read('/audit/verify').then(showVerdict, error => showMessage(byId('status', HTMLElement), problemOf(error)))
  setBusy(verify, false)
})

await openPage(async () => {
  const [{ mails }, { keys }] = await Promise.all([read('/mails'), read('/signing-keys'), showKeys(), showAudit()])
  showRows(byId('mails', HTMLElement), mails.map(mailRow))
  showRows(byId('signing-keys', HTMLElement), keys.map(signingKeyRow))
})
