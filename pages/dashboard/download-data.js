import { isBusy, setBusy } from '../parts/busy.js'
import { changeConfirmed } from './confirm-identity.js'
import { byId } from '../parts/elements.js'
import { asGatehouseError, messageFor } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'

/** @param {Response} response */
async function save (response) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = 'account-data.json'
  link.click()
  URL.revokeObjectURL(link.href)
}

/** @param {() => Promise<void>} reload */
export function handleDownload (reload) {
  const button = byId('download-data', HTMLButtonElement)
  const notice = byId('data-notice', HTMLElement)

  button.addEventListener('click', async () => {
    if (isBusy(button)) return
    setBusy(button, true)
    showMessage(notice, '')
    try {
      const response = await changeConfirmed('GET', '/api/auth/export')
      if (response) await save(response)
      await reload()
    } catch (error) {
      showMessage(notice, messageFor(asGatehouseError(error).status))
    }
    setBusy(button, false)
  })
}
