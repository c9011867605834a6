import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { isOurs, nameOf, oursOf, placeOf, type PageFiles } from './files.ts'

export interface Asset { body: Buffer, readonly compressed: Buffer, type: string, etag: string }

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'application/typescript; charset=utf-8',
}

/** Libraries that the pages import: one file of each. */
const LIBRARIES: Record<string, URL> = {
  'simplewebauthn.js':
    new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')),
}

function hashOf (...contents: Buffer[]): string {
  const hash = createHash('sha256')
  for (const content of contents) hash.update(content)
  return hash.digest('hex').slice(0, 16)
}

export function assetOf (type: string, content: string): Asset {
  const body = Buffer.from(content)
  let compressed: Buffer | undefined
  return {
    body,
    type,
    etag: `"${hashOf(body)}"`,
    /** When it is first requested, so that the start does not wait for it. */
    get compressed () {
      compressed ??= gzipSync(body)
      return compressed
    },
  }
}

/** Comments that are lines of their own: a quarter of what a browser would load of our scripts. */
const COMMENTS = /^ *(?:\/\*\*(?:(?!\*\/)[^])*\*\/|\/\/.*)\n/gm

const IMPORTED = /(?<=\b(?:from |import |import\())(['"`])(\.{1,2}\/[\w./-]*)/g

/** Scripts import each other by their places in `pages/`. In the browser, all are side by side, under their names. */
function importByName (place: string, content: string): string {
  const folder = posix.dirname(nameOf(place))
  return content.replace(IMPORTED, (_, quote: string, imported: string) => {
    const target = posix.join(posix.dirname(place), imported)
    // A folder such as `texts/`, of which the script chooses a file.
    const name = imported.endsWith('/') ? posix.join(nameOf(`${target}x`), '../') : nameOf(target)
    const path = posix.relative(folder, name) + (imported.endsWith('/') ? '/' : '')
    return quote + (path.startsWith('.') ? path : `./${path}`)
  })
}

function readScript (name: string, path: string): string {
  const source = readFileSync(path, 'utf8')
  return importByName(placeOf(name, path), isOurs(path) ? source.replace(COMMENTS, '') : source)
}

/** A file of texts has only those that differ from ours: the browser loads both, and puts them together. */
function mergingTexts (name: string, own: string): Array<[name: string, content: string]> {
  const [, language] = name.match(/^texts\/([\w-]+)\.js$/) as RegExpMatchArray
  return [
    [`texts/${language}-ours.js`, readFileSync(oursOf(name), 'utf8')],
    [`texts/${language}-own.js`, own],
    [name, `import { mergeTexts } from '../merge-texts.js'
import ours from './${language}-ours.js'
import own from './${language}-own.js'
export default mergeTexts(ours, own)
`],
  ]
}

/**
 * The scripts, style sheets and images, in memory: reading a file would wait for the thread pool,
 * which is busy with bcrypt. One version for all, because modules that import each other change together.
 * Types are served beside their module. They are in a folder of their own, because tsc would not check the module.
 */
export function readAssets (files: PageFiles, complete: (name: string, content: string) => string) {
  const assets = new Map<string, Asset>()
  for (const [file, path] of files) {
    if (!(extname(file) in TYPES) || file.startsWith('mails/')) continue
    const name = file.replace(/^types\//, '')
    const content = complete(name, extname(name) === '.js' ? readScript(name, path) : readFileSync(path, 'utf8'))
    const isMerged = name.startsWith('texts/') && !isOurs(path)
    for (const [each, text] of isMerged ? mergingTexts(name, content) : [[name, content]] as const) {
      assets.set(each, assetOf(TYPES[extname(each)] as string, text))
    }
  }
  for (const [name, file] of Object.entries(LIBRARIES)) {
    assets.set(name, assetOf(TYPES['.js'] as string, readFileSync(file, 'utf8')))
  }
  return { assets, version: hashOf(...[...assets.values()].map(({ body }) => body)) }
}

/**
 * With our version in its path, an asset never changes. Another version is answered too:
 * during a rolling restart, a page and its assets may come from two instances.
 */
export function findAsset (
  { assets, version }: { assets: Map<string, Asset>, version: string },
  path: string
): Asset & { cacheControl?: string } | undefined {
  const [, requested, name = ''] = path.match(/^(?:([0-9a-f]{16})\/)?(.*)$/) ?? []
  const asset = assets.get(name)
  return asset && requested === version ? { ...asset, cacheControl: 'public, max-age=31536000, immutable' } : asset
}

/** The module and all that it imports, to be preloaded: otherwise a browser finds them one after the other. */
export function modulesOf (assets: Map<string, Asset>, name: string, found = new Set<string>()): Set<string> {
  const asset = assets.get(name)
  if (!asset || found.has(name)) return found
  found.add(name)
  const imports = String(asset.body).matchAll(/^(?:import |\} from ).*?'(\.{1,2}\/[\w-]+\.js)'$/gm)
  for (const [, imported = ''] of imports) modulesOf(assets, posix.join(posix.dirname(name), imported), found)
  return found
}

/** Sends the asset, compressed if the browser accepts it, or 304 when the browser already has it. */
export function sendAsset (
  asset: Asset,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { cacheControl = 'no-cache', vary = 'accept-encoding' } = {}
) {
  const isCompressed = new Negotiator({ headers }).encoding(['gzip', 'identity']) === 'gzip'
  const etag = isCompressed ? asset.etag.replace(/"$/, '-gzip"') : asset.etag
  reply.headers({ etag, 'cache-control': cacheControl, vary })
  if (headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  if (isCompressed) reply.header('content-encoding', 'gzip')
  return reply.header('content-type', asset.type).send(isCompressed ? asset.compressed : asset.body)
}
