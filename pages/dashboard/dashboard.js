import { gatehouse, read } from '../parts/api.js'
import { byId } from '../parts/elements.js'
import { readApplications, showApplications } from './applications.js'
import { leadBack } from './brand-link.js'
import { handleChangeEmail } from './change-email.js'
import { handleChangeName } from './change-name.js'
import { handleChangePassword } from './change-password.js'
import { handleChangeRegion, showRegion } from './change-region.js'
import { handleDeletion } from './delete-account.js'
import { handleDevices, showDevices } from './devices.js'
import { handleDownload } from './download-data.js'
import { handleFactors, showFactors } from './factors.js'
import { asGatehouseError, messageFor } from '../parts/form.js'
import { goOn } from './go-on.js'
import { showMessage, showWait } from '../parts/notice.js'
import { keepLanguage, useLanguage } from './own-language.js'
import { signalPasskeys } from './passkey-signals.js'
import { showProfile } from './profile.js'
import { handleProviders, showProviders } from './providers.js'
import { handleReveal } from '../parts/reveal.js'
import { handleSections, showSection } from './sections.js'
import { showEvents } from './security-events.js'
import { stayFresh } from './stay-fresh.js'
import { texts } from '../parts/texts.js'
import { requestedNext } from '../parts/way-back.js'

const RETRY_DELAY = 5_000
const own = byId('own', HTMLElement)
const account = byId('account', HTMLElement)
const loading = byId('loading', HTMLElement)
/** @type {import('./profile.js').Profile | undefined} */
let user
/** @type {import('./change-region.js').Region} */
let region = { language: null, timeZone: null }
let leaving = false

/** @param {boolean} shown */
function showAccount (shown) {
  account.hidden = !shown
  own.toggleAttribute('data-loading', !shown)
}

/** Hides the account first, so that the back button shows nothing private. @param {string} [reason] */
function leave (reason) {
  if (leaving) return
  leaving = true
  showAccount(false)
  const query = new URLSearchParams(reason ? { reason } : {})
  if (!reason || reason === 'ended') query.set('next', location.pathname + location.search + location.hash)
  location.replace(`/login?${query}`)
}

/** While the user must add a second factor, the service allows nothing else. @param {boolean} only */
function showOnlyFactors (only) {
  const others = own.querySelectorAll('.who, .back, .sections, [data-section=security] section:not(#factors)')
  for (const part of others) part.toggleAttribute('hidden', only)
  if (!only) return
  showSection('security')
  showMessage(byId('status', HTMLElement), texts.factors.required, 'plain')
}

async function load () {
  const isEnrolling = gatehouse.mustEnrol()
  showOnlyFactors(isEnrolling)
  if (isEnrolling) return showFactors(await read('/api/auth/factors'), handleFactorChange)
  const [{ user: found, hasPassword, ...others }, { sessions }, { events }, factors, applications] = await Promise.all([
    read('/api/auth/account'),
    read('/api/auth/sessions'),
    read('/api/auth/events'),
    read('/api/auth/factors'),
    readApplications(),
  ])
  user = found
  region = others
  await useLanguage(region.language)
  showProfile(found, hasPassword)
  showRegion(region)
  showFactors(factors, handleFactorChange)
  signalPasskeys(factors, found)
  showProviders(factors.identities)
  showDevices(sessions)
  showEvents(events)
  showApplications(applications, reload)
}

async function open () {
  leaving = false
  try {
    if (!await gatehouse.me() && !gatehouse.mustEnrol()) return leave()
    await load()
    if (leaving) return
    loading.hidden = true
    showAccount(true)
    goOn()
    await keepLanguage()
  } catch (error) {
    if (await endIfUnauthorized(error)) return
    const { status, retryAfter = 60 } = asGatehouseError(error)
    if (status === 429) {
      await showWait(loading, retryAfter)
      return open()
    }
    showMessage(loading, texts.dashboard.unreachable, 'plain')
    setTimeout(open, RETRY_DELAY)
  }
}

/**
 * Signs out after a 401. An access token can be valid longer than its account or session: without the sign-out,
 * the login page would redirect back to this page endlessly.
 * @param {unknown} error
 */
async function endIfUnauthorized (error) {
  if (asGatehouseError(error).status !== 401) return false
  await gatehouse.signOut().catch(asGatehouseError)
  leave('ended')
  return true
}

const reload = async () => { await load().catch(endIfUnauthorized) }

async function handleFactorChange () {
  const wasEnrolling = gatehouse.mustEnrol()
  await gatehouse.me()
  const next = requestedNext()
  if (wasEnrolling && !gatehouse.mustEnrol() && next) return location.replace(next)
  if (wasEnrolling) showMessage(byId('status', HTMLElement), '')
  await reload()
}

async function signOut () {
  const button = byId('sign-out', HTMLButtonElement)
  if (button.getAttribute('aria-busy') === 'true') return
  button.setAttribute('aria-busy', 'true')
  try {
    await gatehouse.signOut()
    leave('signed-out')
  } catch (error) {
    showMessage(byId('status', HTMLElement), messageFor(asGatehouseError(error).status))
    button.setAttribute('aria-busy', 'false')
  }
}

byId('sign-out', HTMLButtonElement).addEventListener('click', signOut)
leadBack()
handleSections()
handleReveal()
handleDevices(reload)
handleFactors(handleFactorChange)
handleProviders(reload)
handleChangePassword(() => user ?? {}, reload)
handleChangeName(() => user?.name, reload)
handleChangeEmail(reload)
handleChangeRegion(() => region, reload)
handleDownload(reload)
handleDeletion(() => leave('deleted'))
gatehouse.onSignOut(() => leave('signed-out'))
stayFresh({
  onReturn: () => { if (!account.hidden) reload() },
  onEnd: () => { if (!gatehouse.mustEnrol()) leave('ended') },
})
addEventListener('pagehide', () => showAccount(false))
addEventListener('pageshow', event => { if (event.persisted) open() })
await open()
