import { byId } from '../parts/elements.js'
import { asGatehouseError } from '../parts/form.js'
import { texts } from '../parts/texts.js'

const dialog = byId('codes-dialog', HTMLDialogElement)
const list = byId('codes', HTMLElement)
const status = byId('codes-status', HTMLElement)

const asText = () => [...list.children].map(({ textContent }) => `${textContent}\n`).join('')

function download () {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([asText()], { type: 'text/plain' }))
  link.download = `${location.hostname}-${texts.factors.fileName}.txt`
  link.click()
  URL.revokeObjectURL(link.href)
}

async function copy () {
  try {
    await navigator.clipboard.writeText(asText())
    status.textContent = texts.factors.copied
  } catch (error) {
    asGatehouseError(error)
    status.textContent = texts.factors.notCopied
  }
}

// Browsers have a clipboard only on https and on localhost.
byId('copy-codes', HTMLElement).hidden = !navigator.clipboard
byId('copy-codes', HTMLElement).addEventListener('click', copy)
byId('download-codes', HTMLElement).addEventListener('click', download)
byId('print-codes', HTMLElement).addEventListener('click', () => print())
byId('codes-saved', HTMLElement).addEventListener('click', () => dialog.close())
// The codes are shown only once: Escape must not hide them.
dialog.addEventListener('cancel', event => event.preventDefault())

/** Shows new recovery codes until the user has saved them. @param {string[]} codes @returns {Promise<void>} */
export function showRecoveryCodes (codes) {
  status.textContent = ''
  list.replaceChildren(...codes.map(code => {
    const item = document.createElement('li')
    item.textContent = code
    return item
  }))
  dialog.showModal()
  return new Promise(resolve => dialog.addEventListener('close', () => {
    list.replaceChildren()
    resolve()
  }, { once: true }))
}
