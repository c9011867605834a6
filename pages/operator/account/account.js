import { fillTimes, formatTime } from '../../parts/dates.js'
import { byId, cloneTemplate } from '../../parts/elements.js'
import { zoneName } from '../../parts/time-zones.js'
import { read } from '../parts/api.js'
import { showActions } from './account-actions.js'
import { handleChange } from './change-account.js'
import { handleDataChange } from './change-data.js'
import { badge, element, showFacts } from '../parts/entry.js'
import { openPage } from '../parts/open-page.js'
import { showTimeline } from './timeline.js'

/** @typedef {import('../accounts/accounts.js').Account} Account */
/** @typedef {{ hasPassword: boolean, passkeys: number, totp: boolean, recoveryCodesLeft: number }} Factors */
/** @typedef {{ ip: string | null, device: string, bound: boolean, firstUsedAt: string, lastUsedAt: string }} Session */

const id = location.pathname.split('/').at(-1) ?? ''

/** @param {Account} user @param {boolean} isOperator */
function showWho (user, isOperator) {
  const { username, email, name, externalId, emailVerifiedAt, disabledAt, createdAt, lastSignInAt } = user
  const { language, timeZone } = user
  document.title = document.title.replace(/^[^·]*/, `${username} `)
  byId('username', HTMLElement).textContent = username
  byId('initial', HTMLElement).textContent = [...name ?? username][0] ?? ''
  const since = new Date(createdAt).toLocaleDateString('en', { dateStyle: 'medium' })
  const signedIn = lastSignInAt ? `last sign-in ${formatTime(lastSignInAt)}` : 'never signed in'
  const external = externalId && `external id ${externalId}`
  const spoken = language && new Intl.DisplayNames('en', { type: 'language' }).of(language)
  const zone = timeZone && zoneName(timeZone)
  const facts = [name, email, `since ${since}`, signedIn, `id ${id}`, external, spoken, zone]
  byId('about', HTMLElement).replaceChildren(...facts.flatMap(fact => fact ? [element('span', {}, fact), ' '] : []))
  byId('badges', HTMLElement).replaceChildren(
    badge(disabledAt ? ['Disabled', 'failure'] : ['Active', 'success']),
    ' ',
    badge(emailVerifiedAt ? ['Address confirmed', 'success'] : ['Address not confirmed', 'plain']),
    ...isOperator ? [' ', badge(['Operator', 'plain'])] : []
  )
}

/** @param {Factors} factors @param {string[]} providers */
function showWays ({ hasPassword, passkeys, totp, recoveryCodesLeft }, providers) {
  showFacts(byId('ways', HTMLElement), [
    ['Password', hasPassword ? 'Set' : 'None'],
    ['Passkeys', String(passkeys)],
    ['Authenticator app', totp ? 'Set up' : 'None'],
    ['Recovery codes left', String(recoveryCodesLeft)],
    ['Providers', providers.join(', ') || 'None'],
  ])
}

/** @param {Session[]} sessions */
function showSessions (sessions) {
  byId('no-sessions', HTMLElement).hidden = sessions.length > 0
  byId('sessions', HTMLElement).replaceChildren(...sessions.map(({ ip, device, bound, firstUsedAt, lastUsedAt }) => {
    const row = cloneTemplate('session', { device, ip: ip ?? 'unknown address' })
    fillTimes(row, firstUsedAt, 'first')
    fillTimes(row, lastUsedAt, 'last')
    row.querySelector('.bound')?.toggleAttribute('hidden', !bound)
    return row
  }))
}

/** @param {Record<string, unknown>} data */
function showData (data) {
  const isEmpty = Object.keys(data).length === 0
  byId('data', HTMLElement).textContent = isEmpty ? 'None.' : JSON.stringify(data, undefined, 2)
}

const change = handleChange(load)
const offerDataChange = handleDataChange(id, load)

async function load () {
  const [account] = await Promise.all([read(`/users/${id}`), showTimeline(id)])
  const { user, data, isOperator, sessions, factors, providers } = account
  showWho(user, isOperator)
  showWays(factors, providers)
  showSessions(sessions)
  showData(data)
  showActions(user, isOperator, factors, sessions.length, load)
  change.show(user, isOperator)
  offerDataChange(isOperator)
  byId('all-events', HTMLElement).setAttribute('href', `/operator/events?${new URLSearchParams({ user: id })}`)
  byId('account', HTMLElement).hidden = false
}

await openPage(load)
