import { changeConfirmed } from './confirm-identity.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { handleOpening } from './open-form.js'
import { texts } from '../parts/texts.js'

/** Requests a link to the new address. The address changes when the link is opened. */
export function handleChangeEmail () {
  const notice = byId('email-notice', HTMLElement)
  const close = handleOpening('change-email', () => showMessage(notice, ''))

  handleForm(byId('change-email', HTMLFormElement), async ({ email = '' }) => {
    if (!await changeConfirmed('POST', '/api/auth/email', { email })) return
    close()
    showMessage(notice, texts.email.sent(email), 'success')
  }, { 400: ['email', texts.field.email] })
}
