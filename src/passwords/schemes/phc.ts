/** A hash that the service cannot or will not verify. The message contains nothing of the hash. */
export class UnusableHash extends Error {}

export interface PhcString {
  id: string
  parameters: Record<string, string>
  salt: Buffer
  digest: Buffer
}

const MAX_LENGTH = 1_000
/** A shorter digest would match too many passwords. */
const MIN_DIGEST = 16
const MAX_BYTES = 128

/** `$id$parameters$salt$digest`, with `v=19` before the parameters or among them, as the PHC string format has it. */
export function parsePhc (text: string): PhcString {
  const [start, id = '', ...fields] = text.length > MAX_LENGTH ? [] : text.split('$')
  if (start !== '' || fields.length < 3) throw new UnusableHash('not a hash of a known form')
  const [salt = '', digest = ''] = fields.slice(-2)
  const hash = { id, parameters: parametersOf(fields.slice(0, -2)), salt: decode(salt), digest: decode(digest) }
  if (hash.digest.length < MIN_DIGEST) throw new UnusableHash(`a digest of fewer than ${MIN_DIGEST} bytes`)
  if (Math.max(hash.digest.length, hash.salt.length) > MAX_BYTES) throw new UnusableHash('a salt or digest too long')
  return hash
}

/** The PBKDF2 hashes of passlib have the bare number of iterations. */
function parametersOf (fields: string[]): Record<string, string> {
  const pairs = fields.flatMap(field => field.split(',')).map(pair => /^\d+$/.test(pair) ? `i=${pair}` : pair)
  return Object.fromEntries(pairs.map(pair => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1)]
  }))
}

/** Base64 in the standard and the URL alphabet, and that of passlib, with or without padding. */
export function decode (text: string): Buffer {
  if (!/^[A-Za-z0-9+/._-]*={0,2}$/.test(text)) throw new UnusableHash('a salt, digest or key that is not base64')
  return Buffer.from(text.replaceAll('.', '+'), 'base64')
}

export const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** A parameter that must be a whole number from 1 to `max`. */
export function count ({ parameters }: PhcString, name: string, max: number): number {
  const text = parameters[name] ?? ''
  if (!/^[1-9]\d*$/.test(text)) throw new UnusableHash(`the parameter ${name} is missing or not a number`)
  const value = Number(text)
  if (value > max) throw new UnusableHash(`the parameter ${name} is more than ${max}`)
  return value
}

export function requireOnly ({ parameters }: PhcString, ...names: string[]) {
  const unknown = Object.keys(parameters).some(name => !names.includes(name))
  if (unknown) throw new UnusableHash('an unknown parameter')
}
