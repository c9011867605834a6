import { byId } from './elements.js'

/**
 * Asks before a change. Resolves to whether the user agrees.
 * @param {{ title: string, lead: string, agree: string }} words
 * @returns {Promise<boolean>}
 */
export function ask ({ title, lead, agree }) {
  const dialog = byId('question-dialog', HTMLDialogElement)
  const button = byId('question-agree', HTMLButtonElement)
  byId('question-title', HTMLElement).textContent = title
  byId('question-lead', HTMLElement).textContent = lead
  button.textContent = agree
  button.onclick = () => dialog.close('agreed')
  byId('question-cancel', HTMLButtonElement).onclick = () => dialog.close()
  dialog.returnValue = ''
  dialog.showModal()
  return new Promise(resolve => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'agreed'), { once: true })
  })
}
