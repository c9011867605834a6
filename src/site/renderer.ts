import { isIP } from 'node:net'
import type { Eta } from 'eta/core'
import { configuredProviders, lastFirst, mostUsedFirst } from '../providers/configured.ts'
import { readableOn, textOn } from '../settings/brand-color.ts'
import type { Config } from '../settings/schema.ts'
import { modulesOf, readAssets } from './assets.ts'
import { pagePolicy } from './content-policy.ts'
import { errorPage, type Failed } from './error-page.ts'
import type { PageFiles } from './files.ts'
import { directionOf, type Language, LANGUAGES } from './language.ts'
import { openIdPages } from './openid-pages.ts'
import { loadTemplates } from './templates.ts'
import { loadTexts, type Texts } from './texts.ts'

/** Each is served at its name. */
export const PAGE_NAMES = ['login', 'register', 'verify-email', 'reset-password', 'dashboard', 'logout'] as const
/** The parts of the dashboard, which is served at the path of each. */
export const SECTIONS = {
  profile: '/dashboard',
  security: '/dashboard/security',
  devices: '/dashboard/devices',
  applications: '/dashboard/applications',
  data: '/dashboard/data',
} as const
export type Section = keyof typeof SECTIONS
/** Served by the OpenID provider, at the request of an application that they ask the user about. */
const INTERACTION_PAGES = ['consent', 'confirm'] as const
/** Served at the path of its API, /login/mail. */
const MAIL_PAGES = ['mail-sign-in'] as const
export const ALL_PAGES = [...PAGE_NAMES, ...MAIL_PAGES, ...INTERACTION_PAGES]
export type PageName = typeof ALL_PAGES[number]

/** What differs from one request for a page to another. */
export interface Variant {
  /** The provider that was last used in the browser. */
  lastProvider?: string
  section?: Section
}

/** Their buttons of the providers begin with the one that was last used in the browser. */
const SIGN_IN_PAGES: PageName[] = ['login', 'register']

/** Passkeys belong to a domain. An address has none. */
function passkeyOrigin (publicUrl: string): string {
  const { hostname, origin } = new URL(publicUrl)
  return isIP(hostname.replace(/^\[(.+)\]$/, '$1')) ? '' : origin
}

/** What templates get from the settings. docs/templates.md lists it. */
function valuesOf (config: Config, assets: string, mailbox: string) {
  const logo = config.BRAND_LOGO ?? `${assets}/icon.svg`
  return {
    assets,
    brand: config.BRAND_NAME,
    logo,
    policy: pagePolicy(logo),
    home: config.LOGIN_REDIRECT,
    appOrigins: config.APP_ORIGINS.join(' '),
    mailbox,
    languages: LANGUAGES,
    sections: SECTIONS,
    providers: configuredProviders(config),
    allowsFactors: config.SECOND_FACTOR !== 'off',
    passkeyOrigin: passkeyOrigin(config.PUBLIC_URL),
    remembers: config.REMEMBER_BROWSER_DAYS > 0,
    rememberDays: config.REMEMBER_BROWSER_DAYS,
    isOpen: config.REGISTRATION === 'open',
    isClosed: config.REGISTRATION === 'closed',
    hasOpenId: config.OPENID === 'on',
    mailSignIn: config.MAIL_SIGN_IN === 'on',
  }
}

/** The surfaces of style.css on which coloured text has the least contrast. */
const SURFACES = { light: '#f4f5f8', dark: '#191d25' }

/** The last rule of style.css: the brand's colours. */
function brandStyle (color: string): string {
  const accents = (surface: string) =>
    `--accent:${readableOn(color, surface)};--brand-edge:${readableOn(color, surface, 3)}`
  const light = `:root{--brand:${color};--on-brand:${textOn(color)};${accents(SURFACES.light)}}`
  const dark = `@media (prefers-color-scheme:dark){:root{${accents(SURFACES.dark)}}}`
  return `${light}${dark}\n`
}

/** Completes the two files that have the brand's colour. */
export function fillBrand ({ BRAND_COLOR: brand }: Config, templates: Eta) {
  return function complete (name: string, content: string): string {
    if (name === 'style.css') return content + brandStyle(brand)
    return name === 'icon.svg' ? templates.renderString(content, { brand, onBrand: textOn(brand) }) : content
  }
}

/** Fills in the pages. `mailbox`: the path of the mailbox page, on the embedded stack. */
export async function createPageRenderer (config: Config, files: PageFiles, mailbox = '') {
  const texts = await loadTexts(files)
  const templates = loadTemplates(files)
  const { assets, version } = readAssets(files, fillBrand(config, templates))
  const values = valuesOf(config, `/gatehouse/${version}`, mailbox)
  const inLanguage = (language: Language) =>
    ({ ...values, language, direction: directionOf(language), texts: texts.get(language) as Texts })

  return {
    assets,
    version,

    /** `accounts`: how many each provider has, by its key. Returns whether the order has changed. */
    orderProviders (accounts: Map<string, number>): boolean {
      const before = String(values.providers.map(({ key }) => key))
      values.providers = mostUsedFirst(configuredProviders(config), accounts)
      return String(values.providers.map(({ key }) => key)) !== before
    },

    /** Whether the page has a button of this provider. */
    offersProvider: (name: PageName, provider?: string) =>
      SIGN_IN_PAGES.includes(name) && values.providers.some(({ path }) => path === provider),

    /** `lastProvider`: one that the page offers. `section`: what the dashboard shows. */
    page (name: PageName, language: Language, { lastProvider, section = 'profile' }: Variant = {}): string {
      const scripts = [`${name}.js`, 'languages.js']
      const imported = scripts.flatMap(script => [...modulesOf(assets, script)])
      const modules = new Set([...imported, ...modulesOf(assets, `texts/${language}.js`)])
      const words = inLanguage(language)
      const isPart = name === 'dashboard' && section !== 'profile'
      const title = isPart ? words.texts.dashboard.sections[section] : words.texts[name].title
      // The only one of these pages with a form that browsers send themselves.
      const policy = name === 'logout' ? pagePolicy(values.logo, `'self' ${values.appOrigins}`.trim()) : values.policy
      const providers = lastFirst(values.providers, lastProvider)
      return templates.render(`@${name}`, { ...words, policy, name, title, section, scripts, modules, providers })
    },

    openid: openIdPages((name, language, valuesOf, forms) => {
      const words = { ...inLanguage(language), policy: pagePolicy(values.logo, forms) }
      return templates.render(`@${name}`, { ...words, ...valuesOf(words.texts), name, scripts: [], modules: [] })
    }),

    /** For a failed navigation. It needs neither PostgreSQL nor Redis. */
    error (failed: Failed, language: Language): string {
      const words = inLanguage(language)
      const problem = errorPage(words.texts, failed)
      return templates.render('@error', { ...words, ...problem, name: 'error', scripts: [], modules: [] })
    },
  }
}
