import type { Config } from '../config.ts'
import { LIMITS } from '../limits/registry.ts'
import { assetOf, findAsset, modulesOf, readAssets, type Asset } from '../site/assets.ts'
import { pagePolicy } from '../site/content-policy.ts'
import { errorPage, type Failed } from '../site/error-page.ts'
import { findOperatorFiles } from '../site/files.ts'
import { LANGUAGES } from '../site/language.ts'
import { fillBrand } from '../site/renderer.ts'
import { loadTemplates } from '../site/templates.ts'
import { loadTexts, type Texts } from '../site/texts.ts'
import { MESSAGE_TYPES } from '../webhooks/messages.ts'
import { RIGHTS, ROLE_NAMES, ROLES, type Right } from './roles.ts'

/** The pages with their paths below /operator, in the order of the menu. */
export const OPERATOR_PAGES = {
  overview: { path: '/', title: 'Overview' },
  accounts: { path: '/accounts', title: 'Accounts' },
  account: { path: '/accounts/:id', title: 'Account' },
  events: { path: '/events', title: 'Events' },
  limits: { path: '/limits', title: 'Limits' },
  webhooks: { path: '/webhooks', title: 'Webhooks' },
  webhook: { path: '/webhooks/:id', title: 'Webhook' },
  applications: { path: '/applications', title: 'Applications' },
  application: { path: '/applications/:id', title: 'Application' },
  operators: { path: '/operators', title: 'Operators' },
  service: { path: '/service', title: 'Service' },
  'sign-in': { path: '/sign-in', title: 'Sign in' },
} as const

export type OperatorPageName = keyof typeof OPERATOR_PAGES

const MENU = Object.entries(OPERATOR_PAGES)
  .filter(([name, { path }]) => name !== 'sign-in' && !path.includes(':'))
  .map(([name, { path, title }]) => ({ name, title, href: `/operator${path}` }))

/** What each limit is, and what it counts. */
const LIMIT_WORDS = Object.fromEntries(
  Object.values(LIMITS).map(({ name, title, counts }) => [name, { title, counts }]))

/** What each role, and a key with a scope, may do. */
const RIGHT_ROWS = Object.entries(RIGHTS).map(([right, { words, key }]) =>
  ({ words, key, allowed: ROLE_NAMES.map(role => (ROLES[role] as Right[]).includes(right as Right)) }))

/** The brand's logo. A path is one on the host of PUBLIC_URL. */
const logoOf = (logo: string | undefined, publicUrl: string, assets: string) =>
  logo === undefined ? `${assets}/icon.svg` : new URL(logo, `${publicUrl}/`).href

/** Passkeys belong to the host of PUBLIC_URL. They can be used there and on its subdomains. */
function passkeyOrigin (ownUrl: string, publicUrl: string): string {
  const { hostname, origin } = new URL(ownUrl)
  const { hostname: owner } = new URL(publicUrl)
  return hostname === owner || hostname.endsWith(`.${owner}`) ? origin : ''
}

/** "webhook_paused" becomes "Webhook paused", unless the dashboard has a text for it. */
function namedKinds (kinds: readonly string[], { events }: Texts) {
  const names = events as Record<string, string>
  const readable = (kind: string) => kind.replaceAll('_', ' ').replace(/^./, letter => letter.toUpperCase())
  return kinds.map(kind => ({ kind, name: names[kind] ?? readable(kind) }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** The pages of operators, in English. They contain nothing private: their scripts load it from the API. */
export async function createOperatorPages (config: Config, publicUrl: string, eventKinds: readonly string[]) {
  const files = await findOperatorFiles()
  const texts = (await loadTexts(files)).get('en') as Texts
  const templates = loadTemplates(files)
  const { assets, version } = readAssets(files, fillBrand(config, templates))
  const folder = `/operator/assets/${version}`
  const logo = logoOf(config.BRAND_LOGO, publicUrl, folder)
  const values = {
    assets: folder,
    brand: config.BRAND_NAME,
    logo,
    policy: pagePolicy(logo),
    menu: MENU,
    languages: LANGUAGES,
    messageTypes: MESSAGE_TYPES,
    limitWords: JSON.stringify(LIMIT_WORDS),
    rights: RIGHT_ROWS,
    roles: ROLE_NAMES,
    eventKinds: namedKinds(eventKinds, texts),
    texts,
    issuer: publicUrl,
    openId: config.OPENID === 'on',
    passkeyOrigin: passkeyOrigin(config.PUBLIC_URL, publicUrl),
  }

  function render (name: OperatorPageName): Asset {
    const script = `operator/${name}.js`
    const modules = new Set([...modulesOf(assets, script), 'texts/en.js'])
    const { path, title } = OPERATOR_PAGES[name]
    // The page of one account belongs to that of all.
    const section = `/operator${path.replace(/\/:.*/, '')}`
    const html = templates.render(`@operator/${name}`, { ...values, name, title, section, scripts: [script], modules })
    return assetOf('text/html; charset=utf-8', html)
  }

  const pages = new Map((Object.keys(OPERATOR_PAGES) as OperatorPageName[]).map(name => [name, render(name)]))

  return {
    html: (name: OperatorPageName) => pages.get(name) as Asset,

    asset: (path: string) => findAsset({ assets, version }, path),

    /** For a failed navigation. */
    error (failed: Failed): string {
      const problem = errorPage(texts, failed)
      return templates.render('@operator/error', { ...values, ...problem, name: 'error', scripts: [], modules: [] })
    },
  }
}
