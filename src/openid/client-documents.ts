import { createHash } from 'node:crypto'
import { HttpError } from '../errors.ts'
import { checkUrl, RefusedAddress, type Resolve } from '../webhooks/address.ts'
import { get } from '../webhooks/post.ts'
import { resolveOf } from './document-hosts.ts'
import { Refused } from './errors.ts'
import { RefusedUri } from './redirect-uris.ts'
import { describeItself, type SelfDescription, type SelfRules } from './self-description.ts'

interface Rules extends SelfRules { timeout?: number, resolve?: Resolve }

const MAX_URL = 1_000
const HEADERS = { accept: 'application/json', 'user-agent': 'Gatehouse' }

/** Whether a client_id is the address of a metadata document, as browsers write it: with a path, without a fragment. */
export function isDocumentUrl (clientId: string): boolean {
  if (!/^https?:\/\//.test(clientId) || clientId.length > MAX_URL) return false
  const url = URL.parse(clientId)
  return url?.href === clientId && url.pathname !== '/' && !clientId.includes('#')
}

/** The id of the record of an application that has a document. */
export function documentId (url: string): string {
  const hash = createHash('sha256').update(`document ${url}`).digest('hex')
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The same for every cause: it must not tell what is in the network of the service. The log has the cause. */
export const UNREADABLE = 'The metadata document of the application could not be read.'

/** What its owner has to mend. */
const refuse = (reason: string): never => {
  throw new Refused('invalid_client', `The metadata document of the application ${reason}`)
}

/** In your own network, names may be in a file of the machine. */
const usualResolve = ({ privateAllowed }: Rules) => privateAllowed ? undefined : resolveOf()

async function load (url: string, rules: Rules) {
  try {
    return await get(checkUrl(url, rules), HEADERS, { resolve: usualResolve(rules), ...rules })
  } catch (error) {
    if (error instanceof RefusedAddress) throw new Refused('invalid_client', UNREADABLE, { cause: error })
    throw error
  }
}

function parse (body: string): Record<string, unknown> {
  try {
    const read = JSON.parse(body) as unknown
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>
  } catch {}
  return refuse('is no JSON object.')
}

/**
 * Reads a client ID metadata document (draft-ietf-oauth-client-id-metadata-document). Throws `Refused` if it is wrong
 * or gone, and another error if it could not be read now.
 */
export async function readDocument (url: string, rules: Rules): Promise<SelfDescription> {
  const { status, body, isComplete } = await load(url, rules)
  if (status >= 500 || status === 429) throw new Error(`status ${status}`)
  if (status !== 200) throw new Refused('invalid_client', UNREADABLE, { cause: new Error(`status ${status}`) })
  if (!isComplete) refuse('is too large or incomplete: at most 16 KiB, within five seconds.')
  const metadata = parse(body)
  if (metadata.client_id !== url) refuse('has another client_id than its own address.')
  if ('client_secret' in metadata) refuse('has a secret, which would be public.')
  try {
    return describeItself(metadata, { ...rules, registration: 'document' })
  } catch (error) {
    // Our own page shows the reason: it has no words of the document.
    if (error instanceof RefusedUri) return refuse(`has a redirect URI that is refused: ${error.reason}`)
    return error instanceof HttpError ? refuse(`is refused. ${error.message}`) : Promise.reject(error)
  }
}
