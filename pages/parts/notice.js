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

/**
 * Calls `tick` each second with the seconds left, and with 0 at the end.
 * It compares with the clock, because timers stop while a computer sleeps.
 * @param {number} seconds
 * @param {(left: number) => void} tick
 */
function countDown (seconds, tick) {
  const end = Date.now() + seconds * 1_000
  const timer = setInterval(step, 1_000)
  step()

  function step () {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1_000))
    if (left === 0) clearInterval(timer)
    tick(left)
  }
}

/** Formats 754 as 12:34. @param {number} seconds */
const formatClock = seconds => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
