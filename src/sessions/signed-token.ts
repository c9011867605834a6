import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'

/** The only header that the service signs, so that no token can choose its algorithm. */
const HEADER = `${Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')}.`

/** Reads nothing of a token before its signature is verified. Returns undefined if none of the secrets fits. */
export function readSigned (token: string, secrets: Array<string | KeyObject>): object | undefined {
  if (!token.startsWith(HEADER)) return undefined
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1))
  const content = token.slice(0, end)
  if (!secrets.some(secret => matches(signature, content, secret))) return undefined
  const claims = JSON.parse(Buffer.from(content.slice(HEADER.length), 'base64url').toString())
  return typeof claims === 'object' && claims !== null ? claims : undefined
}

/** Whether it has not expired and is already valid. */
export function isCurrent ({ exp, nbf = 0 }: { exp?: unknown, nbf?: unknown }, now = Date.now() / 1_000): boolean {
  return typeof exp === 'number' && typeof nbf === 'number' && nbf <= now && now < exp
}

/** Compares the text, because different texts can decode to the same bytes. */
function matches (signature: Buffer, content: string, secret: string | KeyObject): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(content).digest('base64url'))
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}
