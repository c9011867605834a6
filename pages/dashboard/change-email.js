import { change } from '../parts/api.js'
import { changeConfirmed } from './confirm-identity.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { handleMailCode } from '../parts/mail-code.js'
import { showMessage } from '../parts/notice.js'
import { handleOpening } from './open-form.js'
import { texts } from '../parts/texts.js'

/**
 * Requests a mail to the new address. The address changes when its link is opened, or its code is typed here.
 * @param {() => Promise<void>} reload
 */
export function handleChangeEmail (reload) {
  const enter = byId('confirm-email', HTMLFormElement)
  const code = handleMailCode()
  const notice = byId('email-notice', HTMLElement)
  const close = handleOpening('change-email', () => {
    showMessage(notice, '')
    enter.hidden = true
  })

  handleForm(byId('change-email', HTMLFormElement), async ({ email = '' }) => {
    if (!await changeConfirmed('POST', '/api/auth/email', { email })) return
    close()
    showMessage(notice, texts.email.sent(email), 'success')
    code.value = ''
    enter.hidden = false
  }, { 400: ['email', texts.field.email] })

  const wrong = texts['mail-sign-in'].wrong
  handleForm(enter, async ({ code }) => {
    await change('POST', '/api/auth/email/confirm', { code })
    enter.hidden = true
    await reload()
    showMessage(notice, texts['verify-email'].changed, 'success')
  }, { 400: ['code', wrong], 403: ['code', wrong] })
}
