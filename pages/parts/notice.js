import { countDown, formatClock } from './countdown.js'
import { texts } from './texts.js'

/**
 * Shows a message that screen readers announce. An empty message hides the notice.
 * @param {Element} place
 * @param {string} message
 * @param {'failure' | 'success' | 'plain'} [kind]
 */
export function showMessage (place, message, kind = 'failure') {
  place.setAttribute('data-kind', kind)
  place.textContent = message
}

/**
 * Shows the time left, updated each second. Screen readers announce it each minute.
 * @param {Element} place
 * @param {number} seconds
 */
export function showWait (place, seconds) {
  const shown = document.createElement('span')
  const spoken = document.createElement('span')
  shown.setAttribute('aria-hidden', 'true')
  spoken.className = 'unseen'
  showMessage(place, '')
  place.append(spoken, shown)

  return new Promise(resolve => countDown(seconds, left => {
    const message = texts.wait.spoken(Math.ceil(left / 60))
    shown.textContent = texts.wait.shown(formatClock(left))
    if (spoken.textContent !== message) spoken.textContent = message
    if (left > 0) return
    showMessage(place, texts.wait.over, 'plain')
    resolve(undefined)
  }))
}
