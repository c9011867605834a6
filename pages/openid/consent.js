import { byId } from '../parts/elements.js'
import { scopesInWords } from '../parts/scopes.js'
import { handleAnswer, showRequest } from './interaction.js'

handleAnswer('allow', true)
handleAnswer('refuse', false)

/** @param {string} word */
function createItem (word) {
  const item = document.createElement('li')
  item.textContent = word
  return item
}

await showRequest(({ application, account, scopes }) => {
  const slots = { application: application.name, host: application.host, username: account.username }
  for (const [name, text] of Object.entries(slots)) {
    for (const slot of document.querySelectorAll(`[data-slot="${name}"]`)) slot.textContent = text
  }
  byId('scopes', HTMLElement).replaceChildren(...scopesInWords(scopes).map(createItem))
})
