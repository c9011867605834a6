import { post } from '../parts/api.js'
import { byId, goToPart } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { handleReveal } from '../parts/reveal.js'
import { watchStrength, weakPassword } from '../parts/strength.js'
import { texts } from '../parts/texts.js'
import { keepNext, requestedNext, withNext } from '../parts/way-back.js'

const next = requestedNext()
keepNext(next)
const form = document.getElementById('register')
if (form instanceof HTMLFormElement) openRegistration(form)

/** @param {HTMLFormElement} form */
function openRegistration (form) {
  const field = (/** @type {string} */ name) => byId(name, HTMLInputElement).value
  handleReveal()
  watchStrength(() => ({ username: field('username'), email: field('email') }))

  handleForm(form, async fields => {
    const response = await post(withNext('/register', next), fields)
    byId('address', HTMLElement).textContent = fields.email ?? ''
    goToPart(response.status === 201 ? 'open' : 'sent')
  }, {
    409: ({ message }) => message.includes('email')
      ? ['email', texts.register.emailTaken]
      : ['username', texts.register.taken],
    422: weakPassword,
    403: texts.register.closed,
  })

  handleForm(byId('resend', HTMLFormElement), async () => {
    await post(withNext('/verify-email/resend', next), { email: field('email') })
    showMessage(byId('resent', HTMLElement), texts['verify-email'].resent, 'success')
  })
}
