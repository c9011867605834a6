import { read } from '../parts/api.js'
import { byId } from '../parts/elements.js'
import { handleProofForm } from '../parts/proof-form.js'
import { texts } from '../parts/texts.js'
import { goOn, handleAnswer, nameAndHost, showRequest } from './interaction.js'

const { confirm: words } = texts
const SECOND_FACTORS = ['passkey', 'totp', 'recovery']

const proof = handleProofForm(goOn)
handleAnswer('refuse', false)

/** Why the user is asked. @param {string} application @param {boolean} secondFactor @param {boolean} hasOne */
function reason (application, secondFactor, hasOne) {
  if (!secondFactor) return words.why(application)
  return hasOne ? words.whySecondFactor(application) : words.noSecondFactor(application)
}

await showRequest(async ({ application, account, secondFactor }, path) => {
  const { methods } = /** @type {{ methods: string[] }} */ (await read('/api/auth/factors'))
  // An account that has a second factor proves nothing without it.
  const hasOne = methods.some(method => SECOND_FACTORS.includes(method))
  byId('why', HTMLElement).textContent = reason(nameAndHost(application).application, secondFactor, hasOne)
  byId('add-second-factor', HTMLElement).hidden = !secondFactor || hasOne
  const username = document.querySelector('input[autocomplete=username]')
  if (username instanceof HTMLInputElement) username.value = account.username
  proof.offer(methods, path)
})
proof.focus()
