import { post } from '../parts/api.js'
import { byId, goToPart } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { handleMailCode } from '../parts/mail-code.js'
import { showMessage } from '../parts/notice.js'
import { hasPasskeys } from '../parts/passkeys.js'
import { handleReveal } from '../parts/reveal.js'
import { watchStrength, weakPassword } from '../parts/strength.js'
import { texts } from '../parts/texts.js'
import { keepNext, leaveIfSignedIn, requestedNext, withNext } from '../parts/way-back.js'

const requested = requestedNext()
keepNext(requested)
const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('.providers a'))
for (const link of links) if (requested) link.search = String(new URLSearchParams({ next: requested }))
const form = document.getElementById('register')
if (form instanceof HTMLFormElement) openRegistration(form)

/** A passkey belongs to a signed-in user: the first page after the sign-in begins to add it. */
function nextPage () {
  const passkey = document.getElementById('passkey')
  const isWanted = passkey instanceof HTMLInputElement && passkey.checked
  return isWanted ? `${withNext('/dashboard', requested)}#add-passkey` : requested
}

/** @param {HTMLFormElement} form */
function openRegistration (form) {
  const field = (/** @type {string} */ name) => byId(name, HTMLInputElement).value
  document.getElementById('with-passkey')?.toggleAttribute('hidden', !hasPasskeys)
  handleReveal()
  watchStrength(() => ({ username: field('username'), email: field('email'), name: field('full-name') }))

  handleForm(form, async fields => {
    const next = nextPage()
    const response = await post(withNext('/register', next), fields)
    keepNext(next)
    byId('address', HTMLElement).textContent = fields.email ?? ''
    goToPart(response.status === 201 ? 'open' : 'sent')
  }, {
    409: ({ message }) => message.includes('email')
      ? ['email', texts.register.emailTaken]
      : ['username', texts.register.taken],
    422: weakPassword,
    403: texts.register.closed,
  })

  const enter = byId('enter-code', HTMLFormElement)
  handleMailCode()
  const wrong = texts['mail-sign-in'].wrong
  handleForm(enter, async ({ code }) => {
    await post('/verify-email', { code })
    await leaveIfSignedIn(nextPage() || (enter.dataset.home ?? '/dashboard'))
    goToPart('open')
  }, { 400: ['code', wrong], 401: ['code', wrong] })

  handleForm(byId('resend', HTMLFormElement), async () => {
    await post(withNext('/verify-email/resend', nextPage()), { email: field('email') })
    showMessage(byId('resent', HTMLElement), texts['verify-email'].resent, 'success')
  })
}
