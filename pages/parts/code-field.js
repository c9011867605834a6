import { byId } from './elements.js'
import { unmark } from './fields.js'
import { hasPasskeys } from './passkeys.js'
import { texts } from './texts.js'

const { code: words, 'mail-sign-in': mailWords } = texts
/** The codes that a user can type, the usual one first. */
const KINDS = {
  totp: { label: words.totp, lead: words.totpLead, use: words.useTotp, wrong: words.wrong },
  recovery: { label: words.recovery, lead: words.recoveryLead, use: words.useRecovery, wrong: words.wrongRecovery },
  mail: { label: mailWords.code, lead: mailWords.mailed, use: '', wrong: mailWords.wrong },
}
/** @typedef {keyof typeof KINDS} Kind */

/** The field of code-field.eta: for a code of the authenticator app, a recovery code or the code of a mail. */
export function handleCodeField () {
  const input = byId('code', HTMLInputElement)
  const lead = byId('code-lead', HTMLElement)
  const button = byId('other-code', HTMLButtonElement)
  /** @type {Kind} */
  let kind = 'totp'

  /** @param {Kind} chosen @param {Kind} [other] */
  function show (chosen, other) {
    kind = chosen
    byId('code-label', HTMLElement).textContent = KINDS[chosen].label
    lead.textContent = KINDS[chosen].lead
    input.autocomplete = chosen === 'recovery' ? 'off' : 'one-time-code'
    input.inputMode = chosen === 'recovery' ? 'text' : 'numeric'
    input.value = ''
    unmark(input)
    button.hidden = !other
    if (other) {
      button.textContent = KINDS[other].use
      button.onclick = () => {
        show(other, chosen)
        input.focus()
      }
    }
  }

  return {
    input,

    /**
     * Prepares the field. Returns whether it is shown. A recovery code is for someone without the passkey: with
     * `onRecovery`, a link asks for it.
     * @param {string[]} methods @param {() => void} [onRecovery]
     */
    offer (methods, onRecovery) {
      const kinds = /** @type {Kind[]} */ (Object.keys(KINDS)).filter(each => methods.includes(each))
      const isLastResort = kinds[0] === 'recovery' && methods.includes('passkey') && hasPasskeys
      const [first, other] = isLastResort && onRecovery ? [] : kinds
      button.hidden = first !== undefined || !isLastResort
      button.textContent = words.useRecovery
      button.onclick = onRecovery ?? null
      input.required = first !== undefined
      input.closest('.field')?.toggleAttribute('hidden', !first)
      lead.hidden = !first
      if (first) show(first, other)
      return first !== undefined
    },

    wrong: () => KINDS[kind].wrong,
  }
}
