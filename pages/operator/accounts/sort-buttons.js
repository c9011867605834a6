/**
 * The headings of a table that sort it, and the menu with the same orders for narrow screens.
 * @param {HTMLElement} table @param {HTMLSelectElement} menu @param {() => unknown} apply
 */
export function handleSortButtons (table, menu, apply) {
  const headings = [...table.querySelectorAll('th[data-sort]')]

  for (const heading of headings) {
    const name = heading.getAttribute('data-sort') ?? ''
    const [first, second] = heading.hasAttribute('data-first') ? [`-${name}`, name] : [name, `-${name}`]
    heading.querySelector('button')?.addEventListener('click', () => {
      const next = orderOf(menu) === first ? second : first
      // The newest first is the default, which has no name in the menu.
      menu.value = next === '-created' ? '' : next
      apply()
    })
  }

  return {
    /** Shows in which order the table is. */
    show () {
      const order = orderOf(menu)
      for (const heading of headings) {
        const isSorted = order.replace('-', '') === heading.getAttribute('data-sort')
        if (isSorted) heading.setAttribute('aria-sort', order.startsWith('-') ? 'descending' : 'ascending')
        else heading.removeAttribute('aria-sort')
      }
    },
  }
}

/** @param {HTMLSelectElement} menu */
const orderOf = menu => menu.value || '-created'
