// @ts-check
import { fillTimes } from '../dates.js'
import { byId, cloneTemplate } from '../elements.js'
import { read } from './api.js'
import { showActions } from './account-actions.js'
import { openPage } from './open-page.js'
import { showTimeline } from './timeline.js'

/** @typedef {import('./accounts.js').Account} Account */
/** @typedef {{ hasPassword: boolean, passkeys: number, totp: boolean, recoveryCodesLeft: number }} Factors */
/** @typedef {{ ip: string | null, device: string, firstUsedAt: string, lastUsedAt: string }} Session */

const id = location.pathname.split('/').at(-1) ?? ''

/** @param {string} text @param {'failure' | 'plain' | 'success'} kind */
function badge (text, kind) {
  const element = document.createElement('span')
  element.className = 'badge'
  element.dataset.kind = kind
  element.textContent = text
  return element
}

/** @param {Account} user */
function showWho ({ username, email, name, emailVerifiedAt, disabledAt, createdAt }) {
  document.title = document.title.replace(/^[^·]*/, `${username} `)
  byId('username', HTMLElement).textContent = username
  byId('initial', HTMLElement).textContent = [...name ?? username][0] ?? ''
  const since = new Date(createdAt).toLocaleDateString('en', { dateStyle: 'medium' })
  byId('about', HTMLElement).textContent = [name, email, `since ${since}`, `id ${id}`].filter(Boolean).join(' · ')
  byId('badges', HTMLElement).replaceChildren(
    disabledAt ? badge('Disabled', 'failure') : badge('Active', 'success'),
    ' ',
    emailVerifiedAt ? badge('Address confirmed', 'success') : badge('Address not confirmed', 'plain')
  )
}

/** @param {Factors} factors @param {string[]} providers */
function showWays ({ hasPassword, passkeys, totp, recoveryCodesLeft }, providers) {
  const facts = {
    Password: hasPassword ? 'Set' : 'None',
    Passkeys: String(passkeys),
    'Authenticator app': totp ? 'Set up' : 'None',
    'Recovery codes left': String(recoveryCodesLeft),
    Providers: providers.join(', ') || 'None',
  }
  byId('ways', HTMLElement).replaceChildren(...Object.entries(facts).map(([name, value]) => {
    const [pair, term, text] = ['div', 'dt', 'dd'].map(tag => document.createElement(tag))
    if (!pair || !term || !text) throw new Error('no elements')
    term.textContent = name
    text.textContent = value
    pair.append(term, text)
    return pair
  }))
}

/** @param {Session[]} sessions */
function showSessions (sessions) {
  byId('no-sessions', HTMLElement).hidden = sessions.length > 0
  byId('sessions', HTMLElement).replaceChildren(...sessions.map(({ ip, device, firstUsedAt, lastUsedAt }) => {
    const row = cloneTemplate('session', { device, ip: ip ?? 'unknown address' })
    fillTimes(row, firstUsedAt, 'first')
    fillTimes(row, lastUsedAt, 'last')
    return row
  }))
}

async function load () {
  const [{ user, sessions, factors, providers }] = await Promise.all([read(`/users/${id}`), showTimeline(id)])
  showWho(user)
  showWays(factors, providers)
  showSessions(sessions)
  showActions(user, factors, sessions.length, load)
  byId('account', HTMLElement).hidden = false
}

await openPage(load)
