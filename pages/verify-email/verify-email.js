import { post } from '../parts/api.js'
import { byId, goToPart, showPart } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { linkPurpose, takeLinkToken } from '../parts/link-token.js'
import { GatehouseError } from '../client.js'
import { showMessage } from '../parts/notice.js'
import { texts } from '../parts/texts.js'

/** @type {string | null} */
let token = null

/** The token is sent only after a click: mail scanners also open links and run the scripts of the page. */
function open () {
  const purpose = linkPurpose()
  token = takeLinkToken() ?? token
  showPart(!token ? 'again' : purpose === 'change' || purpose === 'undo' ? purpose : 'confirm')
}

const isExpired = (/** @type {unknown} */ error) => error instanceof GatehouseError && error.status === 400

handleForm(byId('confirm', HTMLFormElement), async () => {
  try {
    await post('/verify-email', { token })
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
  await post('/verify-email/resend', { email })
  showMessage(byId('again-notice', HTMLElement), texts['verify-email'].resent, 'success')
})

addEventListener('hashchange', open)
open()
