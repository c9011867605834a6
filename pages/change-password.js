// @ts-check
import { change } from './api.js'
import { byId } from './elements.js'
import { handleForm } from './form.js'
import { showMessage } from './notice.js'
import { watchStrength, weakPassword } from './strength.js'
import { texts } from './texts.js'

/** @param {() => { username?: string, email?: string }} about @param {() => Promise<void>} reload */
export function handleChangePassword (about, reload) {
  const form = byId('change-password', HTMLFormElement)
  watchStrength(about)

  handleForm(form, async ({ current, password }) => {
    await change('POST', '/api/auth/password', { current, password })
    form.reset()
    byId('new-password', HTMLInputElement).dispatchEvent(new Event('input', { bubbles: true }))
    showMessage(byId('password-notice', HTMLElement), texts.dashboard.changed, 'success')
    await reload()
  }, {
    403: ['current', texts.dashboard.wrongPassword],
    409: texts.dashboard.noPassword,
    422: weakPassword,
  })
}
