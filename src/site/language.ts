import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'

/** The languages of pages and mails, each with its own name. The first one is the default. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  it: 'Italiano',
  nl: 'Nederlands',
  ja: '日本語',
  zh: '中文',
  ar: 'العربية',
} as const

export type Language = keyof typeof LANGUAGES

export const DEFAULT_LANGUAGE: Language = 'en'
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[]
/** The cookie that keeps the language that a user has chosen on a page, until it is kept with an account. */
export const LANGUAGE_COOKIE = 'gatehouse_language'
/** The cookie that keeps the language of the account that signed in last: pages do not read the account. */
const ACCOUNT_LANGUAGE_COOKIE = 'gatehouse_account_language'
/** Seconds that they are kept: a year. */
const LANGUAGE_MAX_AGE = 31_536_000

const RIGHT_TO_LEFT: Language[] = ['ar']

export function isLanguage (value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(LANGUAGES, value)
}

export function directionOf (language: Language): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr'
}

/** For Intl. Digits are those of the codes and addresses around them. */
export function localeOf (language: Language): string {
  const locales: Record<string, string> = { en: 'en-GB', ar: 'ar-u-nu-latn' }
  return locales[language] ?? language
}

/** The best of the languages for an Accept-Language header. Undefined if it accepts none of them. */
export function acceptedLanguage<L extends string> (header: string | undefined, languages: L[]): L | undefined {
  if (!header) return undefined
  return new Negotiator({ headers: { 'accept-language': header } }).language(languages) as L | undefined
}

/** Lax: they are also needed when a link in a mail is opened. */
export const languageCookie = (config: { NODE_ENV: string }) => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: config.NODE_ENV === 'production',
  maxAge: LANGUAGE_MAX_AGE,
} as const)

type WithLanguage = Pick<FastifyRequest, 'headers'> & Partial<Pick<FastifyRequest, 'cookies' | 'query'>>

/** The language that the user has chosen on a page. */
export function chosenLanguage ({ cookies }: WithLanguage): Language | undefined {
  const chosen = cookies?.[LANGUAGE_COOKIE]
  return isLanguage(chosen) ? chosen : undefined
}

/** What an application of the OpenID provider asks for: `ui_locales`, in its order. */
function localesOf ({ query }: WithLanguage): string | undefined {
  const { ui_locales: locales } = (query ?? {}) as { ui_locales?: unknown }
  return typeof locales === 'string' ? locales.trim().split(/\s+/).join(',') : undefined
}

function accountLanguage ({ cookies }: WithLanguage): Language | undefined {
  const stored = cookies?.[ACCOUNT_LANGUAGE_COOKIE]
  return isLanguage(stored) ? stored : undefined
}

const browserLanguage = ({ headers }: WithLanguage) => acceptedLanguage(headers['accept-language'], LANGUAGE_NAMES)

/** The chosen language, or else that of the application. */
const wantedLanguage = (request: WithLanguage) =>
  chosenLanguage(request) ?? acceptedLanguage(localesOf(request), LANGUAGE_NAMES)

/** The chosen language, or else that of the application or of the browser. Undefined if it is none of ours. */
export const requestedLanguage = (request: WithLanguage): Language | undefined =>
  wantedLanguage(request) ?? browserLanguage(request)

/**
 * The account has this language from now on, or none. A choice in this browser has reached the account, and must not
 * replace one that is made later on another device.
 */
export function keepAccountLanguage (
  request: WithLanguage,
  reply: FastifyReply,
  language: Language | null,
  config: { NODE_ENV: string }
) {
  if (chosenLanguage(request)) reply.clearCookie(LANGUAGE_COOKIE, { path: '/' })
  if (language === null) {
    if (accountLanguage(request)) reply.clearCookie(ACCOUNT_LANGUAGE_COOKIE, { path: '/' })
  } else if (language !== (accountLanguage(request) ?? browserLanguage(request))) {
    reply.setCookie(ACCOUNT_LANGUAGE_COOKIE, language, languageCookie(config))
  }
}

/** The language of a page. If none was chosen, that of the account goes before that of the browser. */
export const languageOf = (request: WithLanguage): Language =>
  wantedLanguage(request) ?? accountLanguage(request) ?? browserLanguage(request) ?? DEFAULT_LANGUAGE
