/** The fields of a form that are filled in. @param {HTMLFormElement} form @returns {Record<string, string>} */
export function fieldsOf (form) {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()])
  return Object.fromEntries(fields.filter(([, value]) => value))
}

/** Fills a form in from the address of the page. @param {HTMLFormElement} form */
export function fillFields (form) {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value
    // A value that the menu does not have.
    if (field instanceof HTMLSelectElement && field.selectedIndex < 0) field.selectedIndex = 0
  }
}
