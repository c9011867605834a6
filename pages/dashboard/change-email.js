import { changeConfirmed } from './confirm-identity.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { texts } from '../parts/texts.js'

/** Requests a link to the new address. The address changes when the link is opened. */
export function handleChangeEmail () {
  const form = byId('change-email', HTMLFormElement)

  handleForm(form, async ({ email = '' }) => {
    if (!await changeConfirmed('POST', '/api/auth/email', { email })) return
    form.reset()
    showMessage(byId('email-notice', HTMLElement), texts.email.sent(email), 'success')
  }, { 400: ['email', texts.field.email] })
}
