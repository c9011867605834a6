import { texts } from './texts.js'

/** @type {Record<string, string>} */
const LABELS = {
  name: texts.register.name,
  username: texts.register.username,
  language: texts.page.language,
  timeZone: texts.dashboard.timeZone,
  externalId: texts.dashboard.externalId,
}
const list = new Intl.ListFormat(document.documentElement.lang, { type: 'unit' })

/** "Profile changed: Name, Time zone". @param {string} event @param {string[]} [fields] */
export const withFields = (event, fields = []) =>
  fields.length > 0 ? `${event}: ${list.format(fields.map(field => LABELS[field] ?? field))}` : event
