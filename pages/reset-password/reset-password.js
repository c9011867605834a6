import { post } from '../parts/api.js'
import { byId, goToPart, showPart } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { takeLinkToken } from '../parts/link-token.js'
import { GatehouseError } from '../client.js'
import { showMessage } from '../parts/notice.js'
import { handleReveal } from '../parts/reveal.js'
import { watchStrength, weakPassword } from '../parts/strength.js'
import { texts } from '../parts/texts.js'

/** @type {string | null} */
let token = null

function open () {
  token = takeLinkToken() ?? token
  showPart(token ? 'choose' : 'ask')
}

handleForm(byId('ask', HTMLFormElement), async ({ email }) => {
  await post('/reset-password', { email })
  goToPart('sent')
})

handleForm(byId('choose', HTMLFormElement), async ({ password }) => {
  try {
    await post('/reset-password/confirm', { token, password })
    goToPart('done')
  } catch (error) {
    if (!(error instanceof GatehouseError && error.status === 400)) throw error
    token = null
    goToPart('ask')
    showMessage(byId('ask-notice', HTMLElement), texts['reset-password'].invalid)
  }
}, { 422: weakPassword })

handleReveal()
watchStrength(() => ({}))
addEventListener('hashchange', open)
open()
