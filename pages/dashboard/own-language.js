import { change } from '../parts/api.js'
import { asGatehouseError } from '../parts/form.js'

/** Mails come in the language that the signed-in user has chosen in the menu. */
export async function keepLanguage () {
  const query = new URLSearchParams(location.search)
  if (!query.has('language')) return
  query.delete('language')
  history.replaceState(null, '', `${location.pathname}${query.size > 0 ? `?${query}` : ''}${location.hash}`)
  try {
    await change('PUT', '/api/auth/language', { language: document.documentElement.lang })
  } catch (error) {
    // The page is in the chosen language in any case.
    asGatehouseError(error)
  }
}

/**
 * If the account got another language, in the form or on another device, the page is loaded again in it.
 * @param {string | null} language
 */
export async function useLanguage (language) {
  const query = new URLSearchParams(location.search)
  if (!language || language === document.documentElement.lang || query.has('language')) return
  query.set('language', language)
  location.replace(`?${query}${location.hash}`)
  await new Promise(() => {})
}
