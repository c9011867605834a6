/**
 * The element with this id. Throws if the page does not have it.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId (id, type) {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new Error(`the page has no ${type.name} #${id}`)
}

/** Shows one part of the page and hides the others. @param {string} id */
export function showPart (id) {
  for (const part of document.querySelectorAll('[data-part]')) part.toggleAttribute('hidden', part.id !== id)
}

/** Shows a part and focuses its heading, so that screen readers announce it. @param {string} id */
export function goToPart (id) {
  showPart(id)
  const heading = document.querySelector(`#${id} [tabindex="-1"]`)
  if (heading instanceof HTMLElement) heading.focus()
}

/**
 * Copies the element in a template. Slots are filled with text, never with markup.
 * @param {string} id
 * @param {Record<string, string>} slots
 */
export function cloneTemplate (id, slots) {
  const copy = byId(id, HTMLTemplateElement).content.firstElementChild?.cloneNode(true)
  if (!(copy instanceof HTMLElement)) throw new Error(`the template #${id} is empty`)
  for (const [name, text] of Object.entries(slots)) {
    for (const slot of copy.querySelectorAll(`[data-slot="${name}"]`)) slot.textContent = text
  }
  return copy
}
