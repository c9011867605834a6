// @ts-check
import { GatehouseError } from './client.js'
import { firstInvalid, markField, unmark } from './fields.js'
import { say, sayWait } from './notice.js'
import { texts } from './texts.js'

/**
 * What to say for a status: a sentence for the form, or the name of a field and a sentence for it.
 * @typedef {string | [field: string, sentence: string]} Sentence
 * @typedef {Record<number, Sentence | ((error: GatehouseError) => Sentence)>} Sentences
 */

/**
 * Sends a form once at a time, shows that it is on its way, and says what went wrong where it went wrong.
 * @param {HTMLFormElement} form
 * @param {(fields: Record<string, string>) => Promise<unknown>} send
 * @param {Sentences} [sentences]
 */
export function handleForm (form, send, sentences = {}) {
  const notice = /** @type {HTMLElement} */ (form.querySelector('[role=alert]'))
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button[type=submit]'))
  let busy = false
  form.noValidate = true
  // Until the script is here, the button is off: the browser would send the form in its own way.
  button.disabled = false

  form.addEventListener('input', ({ target }) => { if (target instanceof HTMLInputElement) unmark(target) })
  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (busy) return
    say(notice, '')
    for (const input of form.querySelectorAll('input')) unmark(input)
    const invalid = firstInvalid(form)
    if (invalid) return invalid.focus()

    setBusy(true)
    try {
      await send(fieldsOf(form))
      setBusy(false)
    } catch (error) {
      await explain(asRefusal(error))
    }
  })

  /** Not `disabled`: that would take the focus away from the button. @param {boolean} now */
  function setBusy (now, spinning = now) {
    busy = now
    button.setAttribute('aria-disabled', String(now))
    button.setAttribute('aria-busy', String(spinning))
  }

  /** @param {GatehouseError} error */
  async function explain (error) {
    if (error.status === 429) {
      setBusy(true, false)
      await sayWait(notice, error.retryAfter ?? 60)
      return setBusy(false)
    }
    setBusy(false)
    const known = sentences[error.status] ?? sentenceFor(error.status)
    const sentence = typeof known === 'function' ? known(error) : known
    const input = Array.isArray(sentence) && form.elements.namedItem(sentence[0])
    if (input instanceof HTMLInputElement) return markField(input, sentence[1] ?? '').focus()
    say(notice, String(sentence))
    form.querySelector('input')?.focus()
  }
}

/** What is not a refusal is a mistake of ours, and goes to the console as well. @param {unknown} error */
export function asRefusal (error) {
  if (error instanceof GatehouseError) return error
  reportError(error)
  return new GatehouseError(-1, {})
}

/** @param {number} status */
export function sentenceFor (status) {
  if (status === 0) return texts.failure.offline
  return /** @type {Record<number, string>} */ (texts.failure)[status] ?? texts.failure.unexpected
}

/** What was left empty is not sent. @param {HTMLFormElement} form @returns {Record<string, string>} */
function fieldsOf (form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]).filter(([, value]) => value !== ''))
}
