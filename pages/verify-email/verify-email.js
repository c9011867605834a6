import { post } from '../parts/api.js'
import { byId, goToPart, showPart } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { linkParameter, takeLinkToken } from '../parts/link-token.js'
import { GatehouseError } from '../client.js'
import { showMessage } from '../parts/notice.js'
import { texts } from '../parts/texts.js'
import { keepNext, leaveIfSignedIn, requestedNext, withNext } from '../parts/way-back.js'

/** @type {string | null} */
let token = null
let next = ''

/** The token is sent only after a click: mail scanners also open links and run the scripts of the page. */
function open () {
  const purpose = linkParameter('for')
  next = requestedNext(linkParameter('next'))
  keepNext(next)
  token = takeLinkToken() ?? token
  showPart(!token ? 'again' : purpose === 'change' || purpose === 'undo' ? purpose : 'confirm')
}

const isExpired = (/** @type {unknown} */ error) => error instanceof GatehouseError && error.status === 400

const confirm = byId('confirm', HTMLFormElement)
handleForm(confirm, async () => {
  try {
    await post('/verify-email', { token })
    // In the browser that registered, the user is signed in now.
    await leaveIfSignedIn(next || (confirm.dataset.home ?? '/dashboard'))
    goToPart('done')
  } catch (error) {
    if (!isExpired(error)) throw error
    token = null
    goToPart('again')
    showMessage(byId('again-notice', HTMLElement), texts['verify-email'].invalid)
  }
})

/** Links of a change of address, and the part that is shown when it succeeded. */
for (const [part, done] of Object.entries({ change: 'changed', undo: 'undone' })) {
  handleForm(byId(part, HTMLFormElement), async () => {
    try {
      await post(`/verify-email/${part}`, { token })
      goToPart(done)
    } catch (error) {
      if (!isExpired(error)) throw error
      goToPart(`expired-${part}`)
    }
  })
}

handleForm(byId('again', HTMLFormElement), async ({ email }) => {
  await post(withNext('/verify-email/resend', next), { email })
  showMessage(byId('again-notice', HTMLElement), texts['verify-email'].resent, 'success')
})

addEventListener('hashchange', open)
open()
