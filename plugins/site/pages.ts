import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { acceptsGzip, type Asset, assetOf, findAsset } from '../../src/site/assets.ts'
import { findPageFiles } from '../../src/site/files.ts'
import { isLanguage, LANGUAGE_COOKIE, LANGUAGE_NAMES, languageOf, type Language } from '../../src/site/language.ts'
import {
  ALL_PAGES, createPageRenderer, PAGE_NAMES, type PageName, type Section, SECTIONS,
} from '../../src/site/renderer.ts'

declare module 'fastify' {
  interface FastifyInstance {
    pages: Awaited<ReturnType<typeof createPages>>
    /** The path of the mailbox page, on the embedded stack. */
    mailboxPath?: string
  }
}

const HTML = 'text/html; charset=utf-8'
/** Seconds that a chosen language is kept: a year. */
const LANGUAGE_MAX_AGE = 31_536_000

async function createPages ({ config, mailboxPath }: FastifyInstance) {
  const { files } = await findPageFiles(config.TEMPLATES_DIR)
  const { assets, version, page, error, openid } = await createPageRenderer(config, files, mailboxPath)
  const pages = new Map<string, Asset>()

  /** Each is rendered when it is first requested. */
  function render (name: PageName, language: Language, section?: Section): Asset {
    const key = `${name} ${language} ${section}`
    const rendered = pages.get(key) ?? assetOf(HTML, page(name, language, section))
    pages.set(key, rendered)
    return rendered
  }

  const html = (name: PageName, language: Language): Buffer => render(name, language).body

  /** The language of a page. If it was chosen in the menu, `?language=de`, the browser keeps it. */
  function chooseLanguage (request: FastifyRequest, reply: FastifyReply): Language {
    const { language } = request.query as { language?: unknown }
    if (!isLanguage(language)) return languageOf(request)
    // Lax: it is also needed when a link in a mail is opened.
    const secure = config.NODE_ENV === 'production'
    const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: LANGUAGE_MAX_AGE } as const
    reply.setCookie(LANGUAGE_COOKIE, language, attributes)
    return language
  }

  // Templates that replace ours may have faults, which the start must report.
  if (config.TEMPLATES_DIR) for (const name of ALL_PAGES) for (const language of LANGUAGE_NAMES) html(name, language)

  return {
    names: PAGE_NAMES,
    sections: SECTIONS,
    error,
    openid,
    html,

    chooseLanguage,

    /** Compressed if the browser accepts it: a page contains nothing secret that its length could tell. */
    send (request: FastifyRequest, reply: FastifyReply, name: PageName, section?: Section) {
      const { body, compressed } = render(name, chooseLanguage(request, reply), section)
      reply.headers({ 'content-type': HTML, vary: 'accept-encoding, accept-language, cookie' })
      if (!acceptsGzip(request)) return reply.send(body)
      return reply.header('content-encoding', 'gzip').send(compressed)
    },

    asset: (path: string) => findAsset({ assets, version }, path),
  }
}

export default fp(async function (app) {
  app.decorate('pages', await createPages(app))
}, { name: 'pages', dependencies: ['cookies'] })
