// @ts-check
import { isBusy, setBusy } from './busy.js'
import { changeConfirmed } from './confirm-identity.js'
import { byId } from './elements.js'
import { asGatehouseError, messageFor } from './form.js'
import { showMessage } from './notice.js'

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
