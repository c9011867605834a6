import { changeConfirmed } from './confirm-identity.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { handleOpening } from './open-form.js'
import { watchStrength, weakPassword } from '../parts/strength.js'
import { texts } from '../parts/texts.js'

/** @param {() => import('../parts/strength.js').Owner} about @param {() => Promise<void>} reload */
export function handleChangePassword (about, reload) {
  const notice = byId('password-notice', HTMLElement)
  const close = handleOpening('change-password', () => showMessage(notice, ''))
  const { changed, passwordAdded } = texts.dashboard
  watchStrength(about)

  handleForm(byId('change-password', HTMLFormElement), async ({ current, password }) => {
    const response = await changeConfirmed('POST', '/api/auth/password', { current, password })
    if (!response) return
    close()
    showMessage(notice, current ? changed : passwordAdded, 'success')
    await reload()
  }, {
    403: ['current', texts.dashboard.wrongPassword],
    422: weakPassword,
  })
}
