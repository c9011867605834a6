import { changeConfirmed } from './confirm-identity.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { watchStrength, weakPassword } from '../parts/strength.js'
import { texts } from '../parts/texts.js'

/** @param {() => { username?: string, email?: string }} about @param {() => Promise<void>} reload */
export function handleChangePassword (about, reload) {
  const form = byId('change-password', HTMLFormElement)
  const { changed, passwordAdded } = texts.dashboard
  watchStrength(about)

  handleForm(form, async ({ current, password }) => {
    const response = await changeConfirmed('POST', '/api/auth/password', { current, password })
    if (!response) return
    form.reset()
    byId('new-password', HTMLInputElement).dispatchEvent(new Event('input', { bubbles: true }))
    showMessage(byId('password-notice', HTMLElement), current ? changed : passwordAdded, 'success')
    await reload()
  }, {
    403: ['current', texts.dashboard.wrongPassword],
    422: weakPassword,
  })
}
