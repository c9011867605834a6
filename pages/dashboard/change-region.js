import { change } from '../parts/api.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { texts } from '../parts/texts.js'
import { handleOpening } from './open-form.js'

/** @typedef {{ language: string | null, timeZone: string | null }} Region */

const language = byId('own-language', HTMLSelectElement)
const timeZone = byId('own-time-zone', HTMLSelectElement)

/** The zones that the browser knows, and the present one. @param {string | null} current */
function fillZones (current) {
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...current ? [current] : []])
  timeZone.replaceChildren(new Option(texts.dashboard.notChosen, ''), ...[...zones].map(zone => new Option(zone)))
  timeZone.value = current ?? ''
}

/** @param {() => Region} current @param {() => Promise<void>} reload */
export function handleChangeRegion (current, reload) {
  const notice = byId('region-notice', HTMLElement)
  const close = handleOpening('change-region', () => {
    showMessage(notice, '')
    language.value = current().language ?? document.documentElement.lang
    fillZones(current().timeZone)
  })

  handleForm(byId('change-region', HTMLFormElement), async fields => {
    await change('PATCH', '/api/auth/me', { language: fields.language, timeZone: fields.timeZone ?? null })
    // The page comes in the language that was chosen.
    if (fields.language !== document.documentElement.lang) {
      const query = new URLSearchParams(location.search)
      query.set('language', fields.language ?? '')
      location.replace(`?${query}`)
      return new Promise(() => {})
    }
    close()
    await reload()
    showMessage(notice, texts.dashboard.regionSaved, 'success')
  })
}
