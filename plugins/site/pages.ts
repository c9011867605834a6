import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fp from 'fastify-plugin'
import { readableOn, textOn } from '../../src/pages/brand-color.ts'
import type { Config } from '../../src/config.ts'
import { modulesOf, readAssets, type Asset } from '../../src/pages/assets.ts'
import { fill, flatten, type Values } from '../../src/pages/template.ts'
import { preferredLanguage } from '../../src/pages/language.ts'
import { providerName } from '../../src/providers/display-name.ts'

declare module 'fastify' {
  interface FastifyInstance { pages: Awaited<ReturnType<typeof createPages>> }
}

const PAGE_NAMES = ['login', 'register', 'verify-email', 'reset-password', 'dashboard'] as const
type PageName = typeof PAGE_NAMES[number]

const FOLDER = join(import.meta.dirname, '../../pages')
/** For those who ask for none that we have. */
const FIRST_LANGUAGE = 'en'
/** The surface of style.css, light and dark, on which coloured text is hardest to read. */
const SURFACES = { light: '#f4f5f8', dark: '#191d25' }

function brandStyle (color: string): string {
  const accents = (surface: string) => `--accent:${readableOn(color, surface)};--brand-edge:${readableOn(color, surface, 3)}`
  return `:root{--brand:${color};--on-brand:${textOn(color)};${accents(SURFACES.light)}}@media (prefers-color-scheme:dark){:root{${accents(SURFACES.dark)}}}\n`
}

/** What the settings say to every page, in every language. */
function valuesOf (config: Config, assets: string): Values {
  return {
    assets,
    brand: config.BRAND_NAME,
    logo: config.BRAND_LOGO ?? `${assets}/icon.svg`,
    home: config.LOGIN_REDIRECT,
    hasProviders: Boolean(config.PROVIDER_A_CLIENT_ID || config.PROVIDER_B_CLIENT_ID),
    hasProviderA: Boolean(config.PROVIDER_A_CLIENT_ID),
    hasProviderB: Boolean(config.PROVIDER_B_CLIENT_ID),
    providerA: providerName(config.PROVIDER_A_AUTHORIZE_URL, 'Provider A'),
    providerB: providerName(config.PROVIDER_B_AUTHORIZE_URL, 'Provider B'),
    isOpen: config.REGISTRATION === 'open',
    isClosed: config.REGISTRATION === 'closed',
  }
}

async function readTexts (): Promise<Map<string, Record<string, string>>> {
  const files = (await readdir(join(FOLDER, 'texts'))).sort((a, b) => Number(b.startsWith(FIRST_LANGUAGE)) - Number(a.startsWith(FIRST_LANGUAGE)))
  return new Map(await Promise.all(files.map(async file => {
    const { default: texts } = await import(pathToFileURL(join(FOLDER, 'texts', file)).href)
    return [file.replace('.js', ''), flatten(texts)] as const
  })))
}

async function readTemplate (name: PageName): Promise<string> {
  const read = (file: string) => readFile(join(FOLDER, `${file}.html`), 'utf8')
  const [layout, page, newPassword] = await Promise.all(['layout', name, 'new-password'].map(read))
  return String(layout).replace('<!-- page -->', () => String(page)).replace('<!-- new password -->', () => String(newPassword))
}

async function createPages (config: Config) {
  const texts = await readTexts()
  const { assets, version } = await readAssets(FOLDER, (name, content) => {
    if (name === 'style.css') return content + brandStyle(config.BRAND_COLOR)
    return name === 'icon.svg' ? fill(content, { brand: config.BRAND_COLOR, onBrand: textOn(config.BRAND_COLOR) }) : content
  })
  const base = `/assets/${version}`
  const values = valuesOf(config, base)
  const languages = [...texts.keys()]
  const pages = new Map<string, Buffer>()

  for (const name of PAGE_NAMES) {
    const template = await readTemplate(name)
    for (const [language, words] of texts) {
      const preloads = [...modulesOf(assets, `${name}.js`), `texts/${language}.js`].map(file => `<link rel="modulepreload" href="${base}/${file}">`)
      const html = fill(template, { ...words, ...values, name, language, title: words[`${name}.title`] ?? '' })
      pages.set(`${name} ${language}`, Buffer.from(html.replace('<!-- preloads -->', preloads.join('\n'))))
    }
  }

  return {
    names: PAGE_NAMES,

    html: (name: PageName, acceptLanguage?: string): Buffer => pages.get(`${name} ${preferredLanguage(acceptLanguage, languages)}`) as Buffer,

    /** With the version in its path it never changes. One of another version is answered all the same: at a rolling restart, page and asset may come from two of us. */
    asset (path: string): Asset & { immutable: boolean } | undefined {
      const [, asked, name = ''] = path.match(/^(?:([0-9a-f]{16})\/)?(.*)$/) ?? []
      const asset = assets.get(name)
      return asset && { ...asset, immutable: asked === version }
    },
  }
}

export default fp(async function (app) {
  app.decorate('pages', await createPages(app.config))
}, { name: 'pages' })
