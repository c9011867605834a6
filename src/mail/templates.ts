import { isIP } from 'node:net'
import { fillIn, unlinked } from './fill-in.ts'
import { BUTTON_PATHS, type MailName, type MailValues } from './values.ts'
import { readableOn, textOn } from '../settings/brand-color.ts'
import type { PageFiles } from '../site/files.ts'
import { directionOf, type Language, localeOf } from '../site/language.ts'
import { loadTemplates } from '../site/templates.ts'
import { loadTexts } from '../site/texts.ts'

/** The name of the service, its colour, its address for browsers, and BRAND_LOGO. */
export interface Sender { brand: string, color: string, url: string, logo?: string }

export interface Mail { subject: string, text: string, html: string }

type MailTexts = typeof import('../../pages/mails/texts/en.js').default

export const loadMailTexts = (files: PageFiles) => loadTexts<MailTexts>(files, 'mails/texts')

type Given = Partial<Record<'username' | 'email' | 'link' | 'code' | 'device' | 'ip' | 'at', string>> &
  Partial<MailValues['more-alerts']>

function formatTime (at: string | Date, language: Language): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(localeOf(language), format).format(new Date(at))
}

/** Translates a name such as "Firefox on Linux". */
function describeDevice (name: string, { device, unknownDevice }: MailTexts): string {
  if (name === 'Unknown device') return unknownDevice
  const [browser = '', system] = name.split(' on ')
  return system ? fillIn(device, { browser, system }) : name
}

/** What the texts can contain in braces. */
function placeholders (given: Given, sender: Sender, texts: MailTexts, language: Language): Record<string, string> {
  const { username = '', email, device, ip, at, change, alert, count, from, until } = given
  const known = { brand: sender.brand, url: sender.url, username: unlinked(username) }
  return {
    ...known,
    ...email !== undefined && { email: unlinked(email) },
    ...device !== undefined && { device: unlinked(describeDevice(device, texts)) },
    ...ip !== undefined && { ip: isIP(ip) ? ip : unlinked(ip) },
    ...at !== undefined && { time: formatTime(at, language) },
    ...change !== undefined && { change: fillIn(texts.changes[change], known) },
    ...alert !== undefined && { alert: fillIn(change ? texts.changes[change] : texts.mails[alert].subject, known) },
    ...count !== undefined && { count: new Intl.NumberFormat(localeOf(language)).format(count) },
    ...from !== undefined && { from: formatTime(from, language) },
    ...until !== undefined && { until: formatTime(until, language) },
  }
}

/** The surface of html.eta in dark mode. */
const DARK = '#191d25'
const LIGHT = '#ffffff'

/** The same for every mail. */
function brandOf ({ brand, color, logo, url }: Sender) {
  return {
    brand,
    logo: logo ? new URL(logo, url).href : '',
    initial: [...new Intl.Segmenter().segment(brand)][0]?.segment.toUpperCase() ?? '',
    color,
    onColor: textOn(color),
    accent: { light: readableOn(color, LIGHT), dark: readableOn(color, DARK) },
    edge: { light: readableOn(color, LIGHT, 3), dark: readableOn(color, DARK, 3) },
  }
}

/** What TEMPLATES_DIR adds for its own templates. */
function ownWords (texts: MailTexts & { own?: Record<string, string> }, values: Record<string, string>) {
  return Object.fromEntries(Object.entries(texts.own ?? {}).map(([name, text]) => [name, fillIn(text, values)]))
}

/** Writes mails as text and as HTML from the same words, in the language of the reader. `html.eta` escapes them. */
export async function createMailWriter (sender: Sender, files: PageFiles) {
  const templates = loadTemplates(files)
  const languages = await loadMailTexts(files)
  const look = brandOf(sender)

  return function writeMail<Name extends MailName> (name: Name, given: MailValues[Name], language: Language): Mail {
    const texts = languages.get(language) as MailTexts
    const { link, code }: Given = given
    const values = placeholders(given, sender, texts, language)
    const { subject, paragraphs, button, advice } = texts.mails[name]
    const words = {
      name,
      language,
      direction: directionOf(language),
      ...look,
      greeting: texts.greeting,
      subject: fillIn(subject, values),
      paragraphs: paragraphs.map(paragraph => fillIn(paragraph, values)),
      codeLabel: texts.code,
      code,
      button,
      link: link ?? sender.url + BUTTON_PATHS[name],
      address: texts.address,
      advice: fillIn(advice, values),
      signature: fillIn(texts.signature, values),
      own: ownWords(texts, values),
    }
    const text = `${templates.render('@mails/text', words).trim()}\n`
    return { subject: words.subject, text, html: templates.render('@mails/html', words) }
  }
}

export interface WebhookPaused { kind: 'webhook-paused', webhook: string, host: string, reason: string }

/** For operators, in English like the log and the command line. */
export function writeWebhookPaused ({ webhook, host, reason }: WebhookPaused, brand: string) {
  return {
    subject: `${brand}: a webhook was paused`,
    text: `${brand} sends no more messages to the webhook ${webhook} at ${host}: ${reason}.\n\n` +
      'Messages wait until you resume it:\n\n' +
      `  gatehouse webhook deliveries ${webhook}\n  gatehouse webhook resume ${webhook}\n`,
  }
}
