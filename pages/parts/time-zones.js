/** "America/New_York" is easier to read with a space. @param {string} zone */
export const zoneName = zone => zone.replaceAll('_', ' ')

/**
 * The zones that the browser knows, and the present one. `none` is the name of the first entry, for no zone.
 * @param {HTMLSelectElement} select @param {string | null} current @param {string} none
 */
export function fillZones (select, current, none) {
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...current ? [current] : []])
  select.replaceChildren(new Option(none, ''), ...[...zones].map(zone => new Option(zoneName(zone), zone)))
  select.value = current ?? ''
}
