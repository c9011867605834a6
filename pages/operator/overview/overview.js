import { formatTime } from '../../parts/dates.js'
import { byId } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { read } from '../parts/api.js'
import { drawChart } from './chart.js'
import { openPage, problemOf } from '../parts/open-page.js'

/**
 * @typedef {{ at: string, signIns: Record<string, number>, failures: Record<string, number> }} Bucket
 * @typedef {{ countedAt: string, accounts: number, withSecondFactor: number, sessions: number }} Totals
 * @typedef {{ minutes: Bucket[], hours: Bucket[], totals?: Totals, sessionsByHour: Array<{ at: string,
 *   sessions: number }>, passwords: { running: number, waiting: number },
 *   mails: { waiting: number, failed: number } }} Overview
 */

const INTERVAL = 5_000

const SIGN_INS = { password: 'Password', passkey: 'Passkey', provider: 'Provider' }
const FAILURES = { firstStep: 'Password or passkey', secondFactor: 'Second factor', provider: 'Provider' }
const SESSIONS = { sessions: 'Live sessions' }

const number = new Intl.NumberFormat('en')
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** @param {string} id @param {string} text */
const fill = (id, text) => { byId(id, HTMLElement).textContent = text }

/** @param {Overview} overview */
function showTiles ({ totals, passwords, mails }) {
  fill('waiting', number.format(passwords.waiting))
  fill('running', `${number.format(passwords.running)} being checked`)
  fill('sessions', totals ? number.format(totals.sessions) : '–')
  fill('accounts', totals ? number.format(totals.accounts) : '–')
  fill('share', totals?.accounts ? percent.format(totals.withSecondFactor / totals.accounts) : '–')
  fill('protected', totals ? `${number.format(totals.withSecondFactor)} accounts` : '')
  fill('mails-waiting', number.format(mails.waiting))
  fill('mails-failed', number.format(mails.failed))
  byId('mails-failed', HTMLElement).toggleAttribute('data-alarm', mails.failed > 0)
  for (const place of document.querySelectorAll('[data-counted]')) {
    place.textContent = totals ? `counted ${formatTime(totals.countedAt)}` : 'not counted yet'
  }
}

/** @param {Overview} overview */
function showCharts ({ minutes, hours, sessionsByHour }) {
  const signIns = (/** @type {Bucket[]} */ buckets) => buckets.map(({ at, signIns }) => ({ at, counts: signIns }))
  const failures = (/** @type {Bucket[]} */ buckets) => buckets.map(({ at, failures }) => ({ at, counts: failures }))
  drawChart('sign-ins-minutes', signIns(minutes), SIGN_INS, 'minute')
  drawChart('sign-ins-hours', signIns(hours), SIGN_INS, 'hour')
  drawChart('failures-minutes', failures(minutes), FAILURES, 'minute')
  drawChart('failures-hours', failures(hours), FAILURES, 'hour')
  const sessions = new Map(sessionsByHour.map(({ at, sessions }) => [Date.parse(at), sessions]))
  const levels = hours.map(({ at }) => ({ at, counts: { sessions: sessions.get(Date.parse(at)) ?? 0 } }))
  drawChart('sessions-hours', levels, SESSIONS, 'hour', true)
}

async function update () {
  /** @type {Overview} */
  const overview = await read('/overview')
  // First, because the charts are as wide as their place.
  byId('overview', HTMLElement).hidden = false
  showTiles(overview)
  showCharts(overview)
  fill('updated', `Updated at ${time.format(new Date())}`)
  showMessage(byId('status', HTMLElement), '')
}

/** One request at a time, and none while the page is hidden. */
async function follow () {
  for (;;) {
    await new Promise(resolve => setTimeout(resolve, INTERVAL))
    if (document.visibilityState === 'hidden') {
      await new Promise(resolve => document.addEventListener('visibilitychange', resolve, { once: true }))
    }
    await update().catch(error => showMessage(byId('status', HTMLElement), problemOf(error)))
  }
}

await openPage(update)
follow()
