// @ts-check
import { post } from './api.js'
import { byId, goToPart, showPart } from './elements.js'
import { handleForm } from './form.js'
import { takeLinkToken } from './link-token.js'
import { GatehouseError } from './client.js'
import { showMessage } from './notice.js'
import { handleReveal } from './reveal.js'
import { watchStrength, weakPassword } from './strength.js'
import { texts } from './texts.js'

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
