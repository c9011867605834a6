// @ts-check
import { asClock, countDown } from './countdown.js'
import { texts } from './texts.js'

/**
 * A sentence that screen readers read out at once. Empty, it takes no room.
 * @param {Element} place
 * @param {string} sentence
 * @param {'failure' | 'success' | 'plain'} [kind]
 */
export function say (place, sentence, kind = 'failure') {
  place.setAttribute('data-kind', kind)
  place.textContent = sentence
}

/**
 * Tells how long to wait: each second for the eye, each minute for the ear.
 * @param {Element} place
 * @param {number} seconds
 */
export function sayWait (place, seconds) {
  const shown = document.createElement('span')
  const spoken = document.createElement('span')
  shown.setAttribute('aria-hidden', 'true')
  spoken.className = 'unseen'
  say(place, '')
  place.append(spoken, shown)

  return new Promise(resolve => countDown(seconds, left => {
    const sentence = texts.wait.spoken(Math.ceil(left / 60))
    shown.textContent = texts.wait.shown(asClock(left))
    if (spoken.textContent !== sentence) spoken.textContent = sentence
    if (left > 0) return
    say(place, texts.wait.over, 'plain')
    resolve(undefined)
  }))
}
