import { byId } from '../parts/elements.js'
import { showMessage } from '../parts/notice.js'

const own = byId('own', HTMLElement)
const nav = byId('sections', HTMLElement)
const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (nav.querySelectorAll('a[data-to]'))
const parts = /** @type {NodeListOf<HTMLElement>} */ (own.querySelectorAll('[data-section]'))

/** The element that the fragment of the address names. */
export const namedPlace = () => document.getElementById(location.hash.slice(1))

/** The path names a section. Links of earlier versions and mails name a place in it: /dashboard#password. */
function namedSection () {
  const section = namedPlace()?.closest('[data-section]')
  if (section instanceof HTMLElement) return section.dataset.section
  return [...links].find(({ pathname }) => pathname === location.pathname)?.dataset.to
}

/** The path of the section that is shown. */
export const shownPath = () =>
  [...links].find(({ dataset }) => dataset.to === own.dataset.shown)?.pathname ?? location.pathname

/** @param {string} [name] */
export function showSection (name = 'profile') {
  own.dataset.shown = name
  for (const part of parts) part.hidden = part.dataset.section !== name
  for (const link of links) {
    if (link.dataset.to === name) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  if (name === 'applications') offerApplications()
  const brand = document.title.split(' · ').slice(1)
  document.title = [own.querySelector(`[data-section="${name}"] h1`)?.textContent, ...brand].join(' · ')
}

/** The heading gets the focus, so that screen readers announce the section. */
function focusHeading () {
  const heading = own.querySelector('[data-section]:not([hidden]) h1')
  if (heading instanceof HTMLElement) heading.focus({ preventScroll: true })
}

/** @param {MouseEvent} event */
function follow (event) {
  const link = event.target instanceof Element && event.target.closest('a')
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain) return
  event.preventDefault()
  if (link.href !== location.href) history.pushState(null, '', link.href)
  showNamed()
  scrollTo(0, 0)
  focusHeading()
}

function showNamed () {
  // While the user must add a second factor, there is nothing else to show.
  if (nav.hidden) return
  showMessage(byId('status', HTMLElement), '')
  showSection(namedSection())
}

/** Links to sections change what is shown, without loading the page again. */
export function handleSections () {
  nav.addEventListener('click', follow)
  own.querySelector('.back')?.addEventListener('click', event => follow(/** @type {MouseEvent} */ (event)))
  addEventListener('popstate', () => {
    showNamed()
    focusHeading()
  })
  showNamed()
}

/** Shows the link to the connected applications. */
export function offerApplications () {
  nav.querySelector('[data-to=applications]')?.parentElement?.removeAttribute('hidden')
}
