import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fp from 'fastify-plugin'
import type { Config } from '../../src/config.ts'
import { modulesOf, readAssets, type Asset } from '../../src/pages/assets.ts'
import { readableOn, textOn } from '../../src/pages/brand-color.ts'
import { pagePolicy } from '../../src/pages/content-policy.ts'
import { preferredLanguage } from '../../src/pages/language.ts'
import { loadTemplates } from '../../src/pages/templates.ts'
import { providerName } from '../../src/providers/display-name.ts'

declare module 'fastify' {
  interface FastifyInstance { pages: Awaited<ReturnType<typeof createPages>> }
}

const PAGE_NAMES = ['login', 'register', 'verify-email', 'reset-password', 'dashboard'] as const
type PageName = typeof PAGE_NAMES[number]

const FOLDER = join(import.meta.dirname, '../../pages')
/** For clients that accept none of our languages. */
const DEFAULT_LANGUAGE = 'en'
/** The surfaces of style.css on which coloured text has the least contrast. */
const SURFACES = { light: '#f4f5f8', dark: '#191d25' }

function brandStyle (color: string): string {
  const accents = (surface: string) =>
    `--accent:${readableOn(color, surface)};--brand-edge:${readableOn(color, surface, 3)}`
  const light = `:root{--brand:${color};--on-brand:${textOn(color)};${accents(SURFACES.light)}}`
  const dark = `@media (prefers-color-scheme:dark){:root{${accents(SURFACES.dark)}}}`
  return `${light}${dark}\n`
}

/** The settings that pages show. */
function valuesOf (config: Config, assets: string) {
  const logo = config.BRAND_LOGO ?? `${assets}/icon.svg`
  return {
    assets,
    brand: config.BRAND_NAME,
    logo,
    policy: pagePolicy(logo),
    home: config.LOGIN_REDIRECT,
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

/** The texts of each language, the default language first. */
async function readTexts (): Promise<Map<string, object>> {
  const files = await readdir(join(FOLDER, 'texts'))
  const languages = new Set([DEFAULT_LANGUAGE, ...files.map(file => file.replace('.js', ''))])
  return new Map(await Promise.all([...languages].map(async language => {
    const { default: texts } = await import(pathToFileURL(join(FOLDER, 'texts', `${language}.js`)).href)
    return [language, texts] as const
  })))
}

async function createPages (config: Config) {
  const texts = await readTexts()
  const templates = await loadTemplates(FOLDER)
  const { assets, version } = await readAssets(FOLDER, function complete (name, content) {
    const brand = config.BRAND_COLOR
    if (name === 'style.css') return content + brandStyle(brand)
    return name === 'icon.svg' ? templates.renderString(content, { brand, onBrand: textOn(brand) }) : content
  })
  const values = valuesOf(config, `/gatehouse/${version}`)
  const languages = [...texts.keys()]
  const pages = new Map<string, Buffer>()

  for (const name of PAGE_NAMES) {
    for (const [language, words] of texts) {
      const modules = [...modulesOf(assets, `${name}.js`), `texts/${language}.js`]
      const html = templates.render(`@${name}`, { ...values, name, language, modules, texts: words })
      pages.set(`${name} ${language}`, Buffer.from(html))
    }
  }

  return {
    names: PAGE_NAMES,

    html (name: PageName, acceptLanguage?: string): Buffer {
      return pages.get(`${name} ${preferredLanguage(acceptLanguage, languages)}`) as Buffer
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
  app.decorate('pages', await createPages(app.config))
}, { name: 'pages' })
