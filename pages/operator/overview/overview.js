import { formatTime } from '../../parts/dates.js'
import { byId } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { read } from '../parts/api.js'
import { drawChart } from './chart.js'
import { openPage, problemOf } from '../parts/open-page.js'

/**
 * @typedef {{ at: string, signIns: Record<string, number>, failures: Record<string, number> }} Bucket
 * @typedef {{ countedAt: string, accounts: number, withSecondFactor: number, sessions: number }} Totals
 * @typedef {{ at: string, sessions: number }} Level
 * @typedef {{ minutes: Bucket[], hours: Bucket[], days: Bucket[], totals?: Totals, sessionsByHour: Level[],
 *   sessionsByDay: Level[], passwords: { running: number, waiting: number },
 *   mails: { waiting: number, failed: number } }} Overview
 */

const INTERVAL = 5_000
const PERIODS = ['hour', 'day', 'week', 'month']
const wanted = new URLSearchParams(location.search).get('period') ?? ''
let period = PERIODS.includes(wanted) ? wanted : 'day'

const SIGN_INS = { password: 'Password', passkey: 'Passkey', provider: 'Provider', mail: 'Mail' }
const FAILURES = { firstStep: 'Password, passkey or mail', secondFactor: 'Second factor', provider: 'Provider' }
const SESSIONS = { sessions: 'Live sessions' }

const number = new Intl.NumberFormat('en')
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const time = new Intl.DateTimeFormat('en', { timeStyle: 'medium' })

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
  byId('mails-link', HTMLElement).hidden = mails.waiting === 0
  byId('given-up', HTMLElement).hidden = mails.failed === 0
  for (const place of document.querySelectorAll('[data-counted]')) {
    place.textContent = totals ? formatTime(totals.countedAt) : 'not counted yet'
  }
}

/** The bars of each period. @param {Overview} overview @returns {[Bucket[], import('./chart-times.js').Unit]} */
function bucketsOf ({ minutes, hours, days }) {
  if (period === 'hour') return [minutes, 'minute']
  if (period === 'day') return [hours.slice(-24), 'hour']
  return [period === 'week' ? days.slice(-7) : days, 'day']
}

/** @param {Overview} overview */
function showCharts (overview) {
  const [buckets, unit] = bucketsOf(overview)
  drawChart('sign-ins', buckets.map(({ at, signIns }) => ({ at, counts: signIns })), SIGN_INS, unit)
  drawChart('failures', buckets.map(({ at, failures }) => ({ at, counts: failures })), FAILURES, unit)
  // Sessions are counted every few minutes: of one hour, there is no chart.
  byId('sessions-chart-title', HTMLElement).closest('section')?.toggleAttribute('hidden', unit === 'minute')
  if (unit === 'minute') return
  const levels = unit === 'day' ? overview.sessionsByDay : overview.sessionsByHour
  const sessions = new Map(levels.map(({ at, sessions }) => [Date.parse(at), sessions]))
  const points = buckets.map(({ at }) => ({ at, counts: { sessions: sessions.get(Date.parse(at)) ?? 0 } }))
  drawChart('sessions-chart', points, SESSIONS, unit, true)
}

/** @type {Overview | undefined} */
let shown

async function update () {
  /** @type {Overview} */
  const overview = await read('/overview?hours=24')
  // First, because the charts are as wide as their place.
  byId('overview', HTMLElement).hidden = false
  shown = overview
  showTiles(overview)
  // Not while the pointer is on a chart: its value would vanish.
  if (!document.querySelector('.chart g:hover')) showCharts(overview)
  fill('updated', `Updated ${time.format(new Date())}`)
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

const choices = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('[data-period]'))

function showPeriod () {
  for (const choice of choices) choice.setAttribute('aria-pressed', String(choice.dataset.period === period))
  if (shown) showCharts(shown)
}

for (const choice of choices) {
  choice.addEventListener('click', () => {
    period = choice.dataset.period ?? period
    history.replaceState(null, '', `?${new URLSearchParams({ period })}`)
    showPeriod()
  })
}
// The charts are as wide as their place.
addEventListener('resize', showPeriod)
showPeriod()

await openPage(update)
follow()
