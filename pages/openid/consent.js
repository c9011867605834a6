import { byId, cloneTemplate } from '../parts/elements.js'
import { scopesInWords } from '../parts/scopes.js'
import { handleAnswer, nameAndHost, showRequest } from './interaction.js'

handleAnswer('allow', true)
handleAnswer('refuse', false)

/** @param {string} word */
function createItem (word) {
  const item = document.createElement('li')
  item.textContent = word
  return item
}

/** In the words of the operator. @param {import('../parts/scopes.js').Resource} resource */
function createResource ({ description, uri, scopes }) {
  const section = cloneTemplate('resource', { description, uri })
  const list = /** @type {HTMLElement} */ (section.querySelector('ul'))
  list.replaceChildren(...scopes.map(scope => createItem(scope.description)))
  list.setAttribute('aria-label', description)
  return section
}

await showRequest(({ application, account, scopes, resources }) => {
  const slots = { ...nameAndHost(application), username: account.username }
  for (const id of ['unverified', 'claimed']) byId(id, HTMLElement).hidden = !application.unverified
  for (const [name, text] of Object.entries(slots)) {
    for (const slot of document.querySelectorAll(`[data-slot="${name}"]`)) slot.textContent = text
  }
  byId('scopes', HTMLElement).replaceChildren(...scopesInWords(scopes).map(createItem))
  byId('resources', HTMLElement).replaceChildren(...resources.map(createResource))
  byId('claims', HTMLElement).hidden = scopes.length === 0
  byId('uses', HTMLElement).hidden = resources.length === 0
})
