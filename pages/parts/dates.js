const { lang } = document.documentElement
/** The digits of codes and addresses, also where a browser has others for Arabic, as WebKit does. */
const DIGITS = { numberingSystem: 'latn' }
const relative = new Intl.RelativeTimeFormat(lang, { ...DIGITS, numeric: 'auto' })
const absolute = new Intl.DateTimeFormat(lang, { ...DIGITS, dateStyle: 'medium', timeStyle: 'short' })

/** @type {Array<[unit: Intl.RelativeTimeFormatUnit, seconds: number]>} */
const UNITS = [['day', 86_400], ['hour', 3_600], ['minute', 60]]
const WEEK = 7 * 86_400

/** "5 minutes ago" within the last week, otherwise the date. @param {string} iso */
export function formatTime (iso) {
  const seconds = Math.max(0, (Date.now() - Date.parse(iso)) / 1_000)
  if (seconds > WEEK) return absolute.format(new Date(iso))
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ['second', Infinity]
  return relative.format(-Math.floor(seconds / size), unit)
}

/** @param {Element} element @param {string} iso */
export function fillTimes (element, iso, slot = 'at') {
  for (const time of element.querySelectorAll(`time[data-slot="${slot}"]`)) {
    time.setAttribute('datetime', iso)
    time.setAttribute('title', absolute.format(new Date(iso)))
    time.textContent = formatTime(iso)
  }
}
