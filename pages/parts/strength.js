import { post } from './api.js'
import { byId } from './elements.js'
import { asGatehouseError } from './form.js'
import { isHashable, isTooLong, RULES } from './password-rules.js'
import { texts } from './texts.js'

/** The password is rated after a pause in typing, not at each key. */
const TYPING_DELAY = 250
/** A password with this score, or a higher one, is accepted if it meets the rules. */
const STRONG = 3
const { password: words } = texts
const list = new Intl.ListFormat(document.documentElement.lang)
const RULE_NAMES = /** @type {Array<keyof typeof RULES>} */ (Object.keys(RULES))

/**
 * The user. A password that contains one of these is weak.
 * @typedef {{ username?: string, email?: string, name?: string | null }} Owner
 */

/**
 * One bar and one hint for a new password, while it is typed: the rules in the browser, the strength by the service.
 * The bar is as long as that of a strong password only if the service accepts the password.
 * @param {() => Owner} about
 */
export function watchStrength (about) {
  const input = byId('new-password', HTMLInputElement)
  const meter = byId('strength', HTMLElement)
  const hint = byId('password-hint', HTMLElement)
  /** @type {ReturnType<typeof setTimeout>} */
  let timer
  let request = new AbortController()

  function update () {
    request.abort()
    clearTimeout(timer)
    const missing = listMissing()
    if (input.value === '') return show(undefined, words.rules)
    if (isTooLong(input.value)) return show(undefined, words.tooLong)
    if (!isHashable(input.value)) return show(undefined, texts.field.other)
    if (missing) show(Math.min(Number(meter.dataset.score), STRONG - 1), words.missing(missing))
    timer = setTimeout(rate, TYPING_DELAY)
  }

  /** Empty if nothing is. */
  function listMissing () {
    const missing = RULE_NAMES.filter(name => !RULES[name](input.value))
    return list.format(missing.map(name => words[name]))
  }

  async function rate () {
    request = new AbortController()
    const { signal } = request
    const { username, email, name } = about()
    const body = { password: input.value, username, email, name: name || undefined }
    try {
      const response = await post('/api/auth/password/check', body, signal)
      const { score, feedback, valid } = await response.json()
      if (signal.aborted) return
      const missing = listMissing()
      if (missing) return show(Math.min(score, STRONG - 1), words.missing(missing))
      const advice = feedback.map(asSentence).join(' ') || (valid ? '' : words.advice)
      show(score, `${words.rated(words.scores[score] ?? '')} ${advice}`.trim())
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
    hint.textContent = message
  }

  input.addEventListener('input', update)
  // The username, too: a password that contains it is weak.
  input.form?.addEventListener('change', ({ target }) => { if (target !== input && input.value) update() })
  // Before the fields are emptied.
  input.form?.addEventListener('reset', () => setTimeout(update))
}

/** The message for a refused password. @param {{ message: string }} error @returns {[string, string]} */
export const weakPassword = ({ message }) =>
  ['password', message.includes('breach') ? words.breached : words.weak]

/** @param {string} feedback */
function asSentence (feedback) {
  return words.feedback[feedback] ?? feedback.replace(/[^.]$/, '$&.')
}
