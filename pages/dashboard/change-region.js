import { change } from '../parts/api.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { texts } from '../parts/texts.js'
import { fillZones, zoneName } from '../parts/time-zones.js'
import { handleOpening } from './open-form.js'

/** @typedef {{ language: string | null, timeZone: string | null }} Region */

const language = byId('own-language', HTMLSelectElement)
const { lang } = document.documentElement

/** @param {string | null} code */
const languageName = code => [...language.options].find(({ value }) => value === code)?.text

/** Of the zone its city, which fits beside the button. @param {Region} region */
export function showRegion (region) {
  const city = region.timeZone && zoneName(region.timeZone).split('/').at(-1)
  byId('own-region', HTMLElement).textContent =
    [languageName(region.language), city].filter(Boolean).join(' · ') || texts.dashboard.notChosen
}

/** @param {() => Region} current @param {() => Promise<void>} reload */
export function handleChangeRegion (current, reload) {
  const notice = byId('region-notice', HTMLElement)
  const close = handleOpening('change-region', () => {
    showMessage(notice, '')
    language.value = current().language ?? lang
    fillZones(byId('own-time-zone', HTMLSelectElement), current().timeZone, texts.dashboard.notChosen)
  })

  handleForm(byId('change-region', HTMLFormElement), async fields => {
    await change('PATCH', '/api/auth/me', { language: fields.language, timeZone: fields.timeZone || null })
    close()
    await reload()
    showMessage(notice, texts.dashboard.regionSaved, 'success')
  })
}
