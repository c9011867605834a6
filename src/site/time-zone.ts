/** Intl also takes offsets such as +01:00, which are no names. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** A name of the IANA time zone database, as it is written there. Undefined if there is none such. */
export function timeZoneOf (name: string): string | undefined {
  if (!NAME.test(name)) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // Of an alias, Intl returns another name.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name
  } catch {
    return undefined
  }
}
