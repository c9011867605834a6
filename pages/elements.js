// @ts-check

/**
 * The element with this id, which the page has for certain.
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

/** One of several parts of a page takes the place of the others. @param {string} id */
export function showPart (id) {
  for (const part of document.querySelectorAll('[data-part]')) part.toggleAttribute('hidden', part.id !== id)
}

/** After something was done: its heading is read out, too. @param {string} id */
export function goToPart (id) {
  showPart(id)
  const heading = document.querySelector(`#${id} [tabindex="-1"]`)
  if (heading instanceof HTMLElement) heading.focus()
}

/**
 * A copy of what a template holds. Its slots are filled in as text, so that nothing becomes markup.
 * @param {string} id
 * @param {Record<string, string>} slots
 */
export function copyOf (id, slots) {
  const copy = byId(id, HTMLTemplateElement).content.firstElementChild?.cloneNode(true)
  if (!(copy instanceof HTMLElement)) throw new Error(`the template #${id} is empty`)
  for (const [name, text] of Object.entries(slots)) {
    for (const slot of copy.querySelectorAll(`[data-slot="${name}"]`)) slot.textContent = text
  }
  return copy
}
