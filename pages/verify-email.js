// @ts-check
import { post } from './api.js'
import { byId, goToPart, showPart } from './elements.js'
import { handleForm } from './form.js'
import { takeLinkToken } from './link-token.js'
import { GatehouseError } from './client.js'
import { say } from './notice.js'
import { texts } from './texts.js'

/** @type {string | null} */
let token = null

/** Nothing is sent until somebody clicks: programs that look into mails open links, too, and run their scripts. */
function open () {
  token = takeLinkToken() ?? token
  showPart(token ? 'confirm' : 'again')
}

handleForm(byId('confirm', HTMLFormElement), async () => {
  try {
    await post('/verify-email', { token })
    goToPart('done')
  } catch (error) {
    if (!(error instanceof GatehouseError && error.status === 400)) throw error
    token = null
    goToPart('again')
    say(byId('again-notice', HTMLElement), texts['verify-email'].invalid)
  }
})

handleForm(byId('again', HTMLFormElement), async ({ email }) => {
  await post('/verify-email/resend', { email })
  say(byId('again-notice', HTMLElement), texts['verify-email'].resent, 'success')
})

addEventListener('hashchange', open)
open()
