// @ts-check
import { changeConfirmed } from './confirm-identity.js'
import { byId } from './elements.js'
import { handleForm } from './form.js'
import { showMessage } from './notice.js'
import { texts } from './texts.js'

/** Requests a link to the new address. The address changes when the link is opened. */
export function handleChangeEmail () {
  const form = byId('change-email', HTMLFormElement)

  handleForm(form, async ({ email = '' }) => {
    if (!await changeConfirmed('POST', '/api/auth/email', { email })) return
    form.reset()
    showMessage(byId('email-notice', HTMLElement), texts.email.sent(email), 'success')
  }, { 400: ['email', texts.field.email] })
}
