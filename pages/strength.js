// @ts-check
import { post } from './api.js'
import { byId } from './elements.js'
import { asRefusal } from './form.js'
import { isTooLong, RULES } from './password-rules.js'
import { texts } from './texts.js'

/** Nobody wants to be rated in the middle of a word. */
const PAUSE = 250

/**
 * Rates a new password while it is typed: the rules at once, the strength as the service sees it.
 * @param {() => { username?: string, email?: string }} about Who it is for: their name makes a weak password.
 */
export function watchStrength (about) {
  const input = byId('new-password', HTMLInputElement)
  const meter = byId('strength', HTMLElement)
  const words = byId('strength-words', HTMLElement)
  const advice = byId('strength-advice', HTMLElement)
  /** @type {ReturnType<typeof setTimeout>} */
  let pause
  let asking = new AbortController()

  input.addEventListener('input', () => {
    asking.abort()
    clearTimeout(pause)
    for (const [rule, holds] of Object.entries(RULES)) tick(rule, holds(input.value))
    if (input.value === '') return show(undefined, texts.password.advice)
    if (isTooLong(input.value)) return show(undefined, texts.password.tooLong)
    pause = setTimeout(rate, PAUSE)
  })

  async function rate () {
    asking = new AbortController()
    const { signal } = asking
    try {
      const answer = await post('/api/auth/password/check', { password: input.value, ...about() }, signal)
      const { score, feedback } = await answer.json()
      if (!signal.aborted) show(score, feedback.map(asSentence).join(' '))
    } catch (error) {
      // What was typed since will be rated in its turn.
      if (signal.aborted) return
      // The service decides when the form is sent. Until then a missing rating is no obstacle.
      asRefusal(error)
      show(undefined)
    }
  }

  /** @param {number | undefined} score @param {string} [sentence] */
  function show (score, sentence = '') {
    meter.dataset.score = score === undefined ? '' : String(score)
    words.textContent = score === undefined ? '' : `${texts.password.strength}: ${texts.password.scores[score]}.`
    advice.textContent = sentence
    tick('strong', score !== undefined && score >= 3)
  }
}

/** @param {string} feedback */
function asSentence (feedback) {
  return (texts.password.feedback[feedback] ?? feedback).replace(/[^.]$/, '$&.')
}

/** @param {string} rule @param {boolean} met */
function tick (rule, met) {
  const item = document.querySelector(`[data-rule="${rule}"]`)
  const state = item?.querySelector('.unseen')
  if (!item || !state || item.hasAttribute('data-met') === met) return
  item.toggleAttribute('data-met', met)
  state.textContent = met ? texts.password.met : texts.password.unmet
}
