import { isBusy, setBusy } from '../../parts/busy.js'
import { byId } from '../../parts/elements.js'
import { showMessage } from '../../parts/notice.js'
import { ask } from '../../parts/question.js'
import { changeConfirmed } from './confirm-identity.js'
import { problemOf } from './open-page.js'

/**
 * @typedef {{ title: string, lead: string, agree: string, isHarmless?: boolean, method?: string, path: string,
 *   done: string | ((result: any) => string), typed?: string,
 *   receive?: (response: Response) => Promise<any> }} Question
 */

/** Asks for a text before the change can be agreed to. Without one, the field is hidden. @param {string} [expected] */
function expectTyped (expected) {
  const agree = byId('question-agree', HTMLButtonElement)
  const input = byId('question-typed', HTMLInputElement)
  byId('question-field', HTMLElement).hidden = expected === undefined
  byId('question-expected', HTMLElement).textContent = expected ?? ''
  input.value = ''
  const check = () => { agree.disabled = expected !== undefined && input.value.trim() !== expected.trim() }
  input.oninput = check
  check()
}

/** @param {Response} response */
const resultOf = async response => response.status === 204 ? {} : response.json()

/**
 * Asks before a change, sends it, loads the page again and says what was done. Afterwards, the heading has the focus:
 * the button may be gone.
 * @param {HTMLButtonElement} button
 * @param {Question} question
 * @param {() => unknown} reload
 */
export async function runAction (button, question, reload) {
  const { title, lead, agree, isHarmless, method = 'POST', path, done, typed, receive = resultOf } = question
  if (isBusy(button)) return
  const status = byId('status', HTMLElement)
  byId('question-agree', HTMLButtonElement).className = isHarmless ? 'primary' : 'danger'
  expectTyped(typed)
  if (!await ask({ title, lead, agree })) return
  setBusy(button, true)
  showMessage(status, '')
  try {
    const response = await changeConfirmed(method, path)
    if (!response) return
    const result = await receive(response)
    await reload()
    const message = typeof done === 'function' ? done(result) : done
    showMessage(status, result.changed === false ? 'There was nothing to do.' : message, 'success')
    const heading = document.querySelector('h1')
    heading?.setAttribute('tabindex', '-1')
    heading?.focus()
  } catch (error) {
    showMessage(status, problemOf(error))
  } finally {
    setBusy(button, false)
  }
}
