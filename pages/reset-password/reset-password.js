import { post } from '../parts/api.js'
import { byId, goToPart, showPart } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { linkParameter, takeLinkToken } from '../parts/link-token.js'
import { GatehouseError } from '../client.js'
import { showMessage } from '../parts/notice.js'
import { handleReveal } from '../parts/reveal.js'
import { watchStrength, weakPassword } from '../parts/strength.js'
import { texts } from '../parts/texts.js'
import { keepNext, requestedNext, withNext } from '../parts/way-back.js'

/** @type {string | null} */
let token = null
let next = ''

function open () {
  next = requestedNext(linkParameter('next'))
  keepNext(next)
  token = takeLinkToken() ?? token
  showPart(token ? 'choose' : 'ask')
}

handleForm(byId('ask', HTMLFormElement), async ({ email }) => {
  await post(withNext('/reset-password', next), { email })
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
