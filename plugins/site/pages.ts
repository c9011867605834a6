import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { assetOf, findAsset, sendAsset, type Asset } from '../../src/site/assets.ts'
import { findPageFiles } from '../../src/site/files.ts'
import {
  isLanguage, LANGUAGE_COOKIE, LANGUAGE_NAMES, languageCookie, languageOf, type Language,
} from '../../src/site/language.ts'
import {
  ALL_PAGES, createPageRenderer, PAGE_NAMES, SECTIONS, type PageName, type Variant,
} from '../../src/site/renderer.ts'

declare module 'fastify' {
  interface FastifyInstance {
    pages: Awaited<ReturnType<typeof createPages>>
    /** The path of the mailbox page, on the embedded stack. */
    mailboxPath?: string
    /** The path of the page that shows what can be tried, on the embedded stack. */
    tourPath?: string
  }
}

const HTML = 'text/html; charset=utf-8'
/** A browser keeps a page for the way back, and asks whether it is still the same. It contains nothing private. */
const CACHING = { cacheControl: 'private, no-cache', vary: 'accept-encoding, accept-language, cookie' }

async function createPages ({ config, mailboxPath }: FastifyInstance) {
  const { files } = await findPageFiles(config.TEMPLATES_DIR)
  const renderer = await createPageRenderer(config, files, mailboxPath)
  const { assets, version, page, error, offersProvider, openid } = renderer
  const pages = new Map<string, Asset>()

  /** Each is rendered when it is first requested. */
  function html (name: PageName, language: Language, { lastProvider, section }: Variant = {}): Asset {
    const last = offersProvider(name, lastProvider) ? lastProvider : undefined
    const key = `${name} ${language} ${last} ${section}`
    const rendered = pages.get(key) ?? assetOf(HTML, page(name, language, { lastProvider: last, section }))
    pages.set(key, rendered)
    return rendered
  }

  // Templates that replace ours may have faults, which the start must report.
  if (config.TEMPLATES_DIR) for (const name of ALL_PAGES) for (const language of LANGUAGE_NAMES) html(name, language)

  /** The language of a page. If it was chosen in the menu, `?language=de`, the browser keeps it. */
  function chooseLanguage (request: FastifyRequest, reply: FastifyReply): Language {
    const { language } = request.query as { language?: unknown }
    if (!isLanguage(language)) return languageOf(request)
    reply.setCookie(LANGUAGE_COOKIE, language, languageCookie(config))
    return language
  }

  return {
    names: PAGE_NAMES,
    sections: SECTIONS,
    error,
    openid,
    html,
    /** `accounts`: how many each provider has, by its key. */
    orderProviders (accounts: Map<string, number>) {
      if (renderer.orderProviders(accounts)) pages.clear()
    },
    send: (name: PageName, request: FastifyRequest, reply: FastifyReply, variant?: Variant) =>
      sendAsset(html(name, chooseLanguage(request, reply), variant), request, reply, CACHING),
    asset: (path: string) => findAsset({ assets, version }, path),
  }
}

export default fp(async function (app) {
  app.decorate('pages', await createPages(app))
}, { name: 'pages', dependencies: ['cookies'] })
