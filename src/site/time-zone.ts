/** Intl also takes offsets such as +01:00, which are no names. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** The name of a time zone, spelled as in the IANA database. Undefined if the database does not have it. */
export function timeZoneOf (name: string): string | undefined {
  if (!NAME.test(name)) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // For an alias, Intl returns the name that it stands for.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name
  } catch {
    return undefined
  }
}
