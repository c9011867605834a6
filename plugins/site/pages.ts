import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../../src/config.ts'
import { modulesOf, readAssets, type Asset } from '../../src/pages/assets.ts'
import { textOn } from '../../src/pages/brand-color.ts'
import { brandStyle } from '../../src/pages/brand-style.ts'
import { pagePolicy } from '../../src/pages/content-policy.ts'
import { errorPage } from '../../src/pages/error-page.ts'
import {
  directionOf, isLanguage, LANGUAGE_COOKIE, LANGUAGES, languageOf, type Language,
} from '../../src/pages/language.ts'
import { loadTemplates } from '../../src/pages/templates.ts'
import { loadTexts, type Texts } from '../../src/pages/texts.ts'
import { providerName } from '../../src/providers/display-name.ts'

declare module 'fastify' {
  interface FastifyInstance {
    pages: Awaited<ReturnType<typeof createPages>>
    /** The path of the mailbox page, on the embedded stack. */
    mailboxPath?: string
  }
}

const PAGE_NAMES = ['login', 'register', 'verify-email', 'reset-password', 'dashboard'] as const
type PageName = typeof PAGE_NAMES[number]

const FOLDER = join(import.meta.dirname, '../../pages')
/** Seconds that a chosen language is kept: a year. */
const LANGUAGE_MAX_AGE = 31_536_000

/** The settings that pages show. */
function valuesOf (config: Config, assets: string, mailbox = '') {
  const logo = config.BRAND_LOGO ?? `${assets}/icon.svg`
  return {
    assets,
    brand: config.BRAND_NAME,
    logo,
    policy: pagePolicy(logo),
    home: config.LOGIN_REDIRECT,
    mailbox,
    languages: LANGUAGES,
    hasProviders: Boolean(config.PROVIDER_A_CLIENT_ID || config.PROVIDER_B_CLIENT_ID),
    hasProviderA: Boolean(config.PROVIDER_A_CLIENT_ID),
    hasProviderB: Boolean(config.PROVIDER_B_CLIENT_ID),
    providerA: providerName(config.PROVIDER_A_AUTHORIZE_URL, 'Provider A'),
    providerB: providerName(config.PROVIDER_B_AUTHORIZE_URL, 'Provider B'),
    allowsFactors: config.SECOND_FACTOR !== 'off',
    remembers: config.REMEMBER_BROWSER_DAYS > 0,
    isOpen: config.REGISTRATION === 'open',
    isClosed: config.REGISTRATION === 'closed',
  }
}

async function createPages ({ config, mailboxPath }: FastifyInstance) {
  const texts = await loadTexts()
  const templates = await loadTemplates(FOLDER)
  const { assets, version } = await readAssets(FOLDER, function complete (name, content) {
    const brand = config.BRAND_COLOR
    if (name === 'style.css') return content + brandStyle(brand)
    return name === 'icon.svg' ? templates.renderString(content, { brand, onBrand: textOn(brand) }) : content
  })
  const values = valuesOf(config, `/gatehouse/${version}`, mailboxPath)
  const inLanguage = (language: Language) =>
    ({ ...values, language, direction: directionOf(language), texts: texts.get(language) as Texts })

  function render (name: PageName, language: Language): Buffer {
    const scripts = [`${name}.js`, 'languages.js']
    const imported = scripts.flatMap(script => [...modulesOf(assets, script)])
    const modules = new Set([...imported, `texts/${language}.js`])
    const words = inLanguage(language)
    const { title } = words.texts[name]
    return Buffer.from(templates.render(`@${name}`, { ...words, name, title, scripts, modules }))
  }
  const pages = new Map(PAGE_NAMES.flatMap(name => [...texts.keys()].map(language =>
    [`${name} ${language}`, render(name, language)])))

  return {
    names: PAGE_NAMES,

    html: (name: PageName, language: Language): Buffer => pages.get(`${name} ${language}`) as Buffer,

    /** For a failed navigation. It needs neither PostgreSQL nor Redis. */
    error (status: number, retryAfter: number | undefined, language: Language): string {
      const words = inLanguage(language)
      const problem = errorPage(words.texts, status, retryAfter)
      return templates.render('@error', { ...words, ...problem, name: 'error', scripts: [], modules: [] })
    },

    /** The language of a page. If it was chosen in the menu, `?language=de`, the browser keeps it. */
    chooseLanguage (request: FastifyRequest, reply: FastifyReply): Language {
      const { language } = request.query as { language?: unknown }
      if (!isLanguage(language)) return languageOf(request)
      // Lax: it is also needed when a link in a mail is opened.
      const secure = config.NODE_ENV === 'production'
      const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: LANGUAGE_MAX_AGE } as const
      reply.setCookie(LANGUAGE_COOKIE, language, attributes)
      return language
    },

    /**
     * With our version in its path, an asset never changes. Another version is answered too:
     * during a rolling restart, a page and its assets may come from two instances.
     */
    asset (path: string): Asset & { immutable: boolean } | undefined {
      const [, requested, name = ''] = path.match(/^(?:([0-9a-f]{16})\/)?(.*)$/) ?? []
      const asset = assets.get(name)
      return asset && { ...asset, immutable: requested === version }
    },
  }
}

export default fp(async function (app) {
  app.decorate('pages', await createPages(app))
}, { name: 'pages', dependencies: ['cookies'] })
