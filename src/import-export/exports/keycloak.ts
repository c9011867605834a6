import { RefusedRow } from '../account.ts'
import type { Convert } from './convert.ts'

interface Credential { type?: string, secretData?: string, credentialData?: string }
interface Secret { value?: string, salt?: string }
interface Parameters {
  algorithm?: string
  hashIterations?: number
  additionalParameters?: Record<string, string[] | undefined>
}

/** The JSON of `kc.sh export --realm NAME --users same_file`, or one of the files of `--users different_files`. */
export const fromKeycloak: Convert = user => ({
  username: typeof user.username === 'string' && !user.username.includes('@') ? user.username : undefined,
  email: user.email,
  name: [user.firstName, user.lastName].filter(Boolean).join(' '),
  email_verified: user.emailVerified,
  password_hash: hashOf(user.credentials),
  disabled: user.enabled === false,
  created_at: typeof user.createdTimestamp === 'number' ? new Date(user.createdTimestamp).toISOString() : undefined,
})

function hashOf (credentials: unknown): string | undefined {
  const list = Array.isArray(credentials) ? credentials as Credential[] : []
  const password = list.find(credential => credential?.type === 'password')
  if (!password) return undefined
  const secret = parse<Secret>(password.secretData)
  const { algorithm = '', hashIterations, additionalParameters = {} } = parse<Parameters>(password.credentialData)
  const [salt, digest] = [secret.salt, secret.value].map(withoutPadding)
  if (algorithm.startsWith('pbkdf2')) return `$${algorithm}$i=${hashIterations}$${salt}$${digest}`
  const { type, memory, parallelism } = additionalParameters
  if (algorithm !== 'argon2') throw new RefusedRow('password_hash: not a hash of a known scheme')
  return `$argon2${type?.[0]}$v=19$m=${memory?.[0]},t=${hashIterations},p=${parallelism?.[0]}$${salt}$${digest}`
}

/** Keycloak stores JSON within JSON. */
function parse<T> (text: unknown): T {
  try {
    return Object(JSON.parse(String(text))) as T
  } catch {
    throw new RefusedRow('a credential that is not valid JSON')
  }
}

const withoutPadding = (text = '') => String(text).replace(/=+$/, '')
