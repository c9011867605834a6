import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Asset { body: Buffer, type: string, etag: string }

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const hashOf = (...contents: Buffer[]) => contents.reduce((hash, content) => hash.update(content), createHash('sha256')).digest('hex').slice(0, 16)

export function assetOf (type: string, content: string): Asset {
  const body = Buffer.from(content)
  return { body, type, etag: `"${hashOf(body)}"` }
}

/** Everything in the folder that browsers may ask for, with one version for all: modules that import each other change together. */
export async function readAssets (folder: string, amend: (name: string, content: string) => string) {
  const files = (await readdir(folder, { recursive: true })).filter(name => extname(name) in TYPES).sort()
  const assets = new Map<string, Asset>()
  for (const file of files) {
    const name = file.replaceAll('\\', '/')
    assets.set(name, assetOf(TYPES[extname(name)] as string, amend(name, await readFile(join(folder, file), 'utf8'))))
  }
  return { assets, version: hashOf(...[...assets.values()].map(({ body }) => body)) }
}

/** The module and all that it imports, so that a slow network is asked for them at once. */
export function modulesOf (assets: Map<string, Asset>, name: string, found = new Set<string>()): Set<string> {
  const asset = assets.get(name)
  if (!asset || found.has(name)) return found
  found.add(name)
  for (const [, imported = ''] of String(asset.body).matchAll(/^import .*?'\.\/([\w-]+\.js)'$/gm)) modulesOf(assets, imported, found)
  return found
}

/** Sends the asset, or 304 when the browser already has it. */
export function sendAsset (
  asset: Asset,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  cacheControl = 'no-cache',
) {
  reply.headers({ etag: asset.etag, 'cache-control': cacheControl })
  if (headers['if-none-match']?.includes(asset.etag)) return reply.code(304).send()
  return reply.header('content-type', asset.type).send(asset.body)
}
