import { linkFragment } from './link-token.js'

/** The menu works without this. With it, the query and the token of an emailed link are kept. */
for (const link of document.querySelectorAll('.languages a')) {
  if (!(link instanceof HTMLAnchorElement)) continue
  link.addEventListener('click', event => {
    event.preventDefault()
    const query = new URLSearchParams(location.search)
    query.set('language', link.hreflang)
    location.replace(`?${query}${linkFragment()}`)
  })
}
