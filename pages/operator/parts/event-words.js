import { withFields } from '../../parts/changed-fields.js'
import { texts } from '../../parts/texts.js'

/**
 * @typedef {{ id: string, what: string, userId: string | null, username: string | null, ip: string | null,
 *   userAgent: string | null, device: string | null, by: string | null, subject: string | null,
 *   at: string }} ListedEvent
 */

const names = /** @type {Record<string, string>} */ (texts.events)

/** "webhook_paused" becomes "Webhook paused". @param {string} what */
export const nameOf = what => names[what] ?? what.replaceAll('_', ' ').replace(/^./, letter => letter.toUpperCase())

/** The name, and which fields were changed. @param {ListedEvent} event */
export const describe = ({ what, subject }) =>
  withFields(nameOf(what), what === 'profile_changed' ? subject?.split(',') : undefined)

/** @param {string} what */
export const isAlarm = what => /failed|reuse|disabled|breached/.test(what)
