import { change } from '../parts/api.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { handleOpening } from './open-form.js'
import { texts } from '../parts/texts.js'

/** @param {() => string | null | undefined} current @param {() => Promise<void>} reload */
export function handleChangeName (current, reload) {
  const notice = byId('name-notice', HTMLElement)
  const close = handleOpening('change-name', () => {
    showMessage(notice, '')
    byId('new-name', HTMLInputElement).value = current() ?? ''
  })

  handleForm(byId('change-name', HTMLFormElement), async ({ name = '' }) => {
    await change('PATCH', '/api/auth/me', { name: name.trim() || null })
    close()
    await reload()
    showMessage(notice, texts.dashboard.nameSaved, 'success')
  }, { 400: ['name', texts.field.other] })
}
