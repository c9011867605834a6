import { post } from './api.js'
import { byId } from './elements.js'
import { asGatehouseError } from './form.js'
import { isTooLong, RULES } from './password-rules.js'
import { texts } from './texts.js'

/** The password is rated after a pause in typing, not at each key. */
const TYPING_DELAY = 250

/**
 * Rates a new password while it is typed: the rules in the browser, the strength by the service.
 * @param {() => { username?: string, email?: string }} about The user: a password that contains their names is weak.
 */
export function watchStrength (about) {
  const input = byId('new-password', HTMLInputElement)
  const meter = byId('strength', HTMLElement)
  const words = byId('strength-words', HTMLElement)
  const advice = byId('strength-advice', HTMLElement)
  /** @type {ReturnType<typeof setTimeout>} */
  let timer
  let request = new AbortController()

  input.addEventListener('input', () => {
    request.abort()
    clearTimeout(timer)
    for (const [rule, holds] of Object.entries(RULES)) markRule(rule, holds(input.value))
    if (input.value === '') return show(undefined, texts.password.advice)
    if (isTooLong(input.value)) return show(undefined, texts.password.tooLong)
    timer = setTimeout(rate, TYPING_DELAY)
  })

  async function rate () {
    request = new AbortController()
    const { signal } = request
    try {
      const response = await post('/api/auth/password/check', { password: input.value, ...about() }, signal)
      const { score, feedback } = await response.json()
      if (!signal.aborted) show(score, feedback.map(asSentence).join(' '))
    } catch (error) {
      // The user has typed on, and the next rating has started.
      if (signal.aborted) return
      // The service rates the password again when the form is sent, so a missing rating here is harmless.
      const { status, retryAfter } = asGatehouseError(error)
      show(undefined)
      if (status === 503 && retryAfter) timer = setTimeout(rate, retryAfter * 1_000)
    }
  }

  /** @param {number | undefined} score @param {string} [message] */
  function show (score, message = '') {
    meter.dataset.score = score === undefined ? '' : String(score)
    words.textContent = score === undefined ? '' : texts.password.rated(texts.password.scores[score] ?? '')
    advice.textContent = message
    markRule('strong', score !== undefined && score >= 3)
  }
}

/** The message for a refused password. @param {{ message: string }} error @returns {[string, string]} */
export const weakPassword = ({ message }) =>
  ['password', message.includes('breach') ? texts.password.breached : texts.password.weak]

/** @param {string} feedback */
function asSentence (feedback) {
  return texts.password.feedback[feedback] ?? feedback.replace(/[^.]$/, '$&.')
}

/** @param {string} rule @param {boolean} met */
function markRule (rule, met) {
  const item = document.querySelector(`[data-rule="${rule}"]`)
  const state = item?.querySelector('.unseen')
  if (!item || !state || item.hasAttribute('data-met') === met) return
  item.toggleAttribute('data-met', met)
  state.textContent = met ? texts.password.met : texts.password.unmet
}
