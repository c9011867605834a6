import { RefusedRow } from './account.ts'
import type { Format } from './read-rows.ts'

/**
 * Turns a user of another system into a row with our own fields. The id there becomes the external id.
 * Throws RefusedRow.
 */
export type Convert = (user: Record<string, unknown>) => Record<string, unknown>

/** The NDJSON of the bulk export, and that with `passwordHash`, which the support of Auth0 sends on request. */
const fromAuth0: Convert = user => ({
  external_id: user.user_id ?? user.Id ?? auth0Id(user._id),
  username: user.username,
  email: user.email ?? user.Email,
  name: user.name === user.email ? undefined : user.name,
  email_verified: user.email_verified ?? user['Email Verified'],
  password_hash: user.passwordHash ?? user.password_hash,
  disabled: user.blocked,
  created_at: typeof user.created_at === 'string' ? user.created_at : undefined,
})

/** Of users with a password, `user_id` is `auth0|` and the id of the database. */
function auth0Id (id: unknown): string | undefined {
  const { $oid: value } = Object(id)
  return typeof value === 'string' ? `auth0|${value}` : undefined
}

/** Its hashes are `salt:key` in hexadecimal; the salt is the text itself. */
const BETTER_AUTH_HASH = /^([0-9a-f]{32}):([0-9a-f]{128})$/

/** Rows of the tables `user` and `account`, joined, as CSV or NDJSON. */
const fromBetterAuth: Convert = user => ({
  external_id: user.id,
  username: user.username,
  email: user.email,
  name: user.name,
  email_verified: user.emailVerified ?? user.email_verified,
  password_hash: betterAuthHash(user.password),
  disabled: user.banned,
  created_at: user.createdAt ?? user.created_at,
})

function betterAuthHash (password: unknown): unknown {
  if (typeof password !== 'string' || password === '' || password.startsWith('$')) return password
  const [, salt, key] = BETTER_AUTH_HASH.exec(password) ?? []
  if (!salt || !key) throw new RefusedRow('password_hash: not a hash of a known form')
  const [encodedSalt, digest] = [Buffer.from(salt), Buffer.from(key, 'hex')].map(bytes => bytes.toString('base64'))
  return `$scrypt$ln=14,r=16,p=1,form=nfkc$${encodedSalt}$${digest}`
}

interface FirebaseHashes { signerKey: string, saltSeparator: string, rounds: string, memoryCost: string }

/** The parameters of the project, as the console of Firebase shows them: `base64_signer_key: …`. */
export function parseHashConfig (text: string): FirebaseHashes | undefined {
  const [signerKey, saltSeparator, rounds, memoryCost] =
    ['base64_signer_key', 'base64_salt_separator', 'rounds', 'mem_cost']
      .map(name => new RegExp(`\\b${name}["']?\\s*[:=]\\s*["']?([\\w+/=-]+)`).exec(text)?.[1])
  return signerKey && saltSeparator && rounds && memoryCost
    ? { signerKey, saltSeparator, rounds, memoryCost }
    : undefined
}

/** The JSON of `firebase auth:export users.json`. */
function fromFirebase (hashes: FirebaseHashes | undefined): Convert {
  return user => ({
    external_id: user.localId,
    email: user.email,
    name: user.displayName,
    email_verified: user.emailVerified,
    password_hash: firebaseHash(user, hashes),
    disabled: user.disabled,
    created_at: firebaseTime(user.createdAt),
  })
}

function firebaseHash ({ passwordHash, salt }: Record<string, unknown>, hashes?: FirebaseHashes): string | undefined {
  if (typeof passwordHash !== 'string' || passwordHash === '') return undefined
  if (!hashes) throw new RefusedRow('a password hash, but no --hash-config')
  const { signerKey, saltSeparator, rounds, memoryCost } = hashes
  return `$fbscrypt$v=1,n=${memoryCost},r=${rounds},p=1,ss=${saltSeparator},sk=${signerKey}$${salt}$${passwordHash}`
}

/** Milliseconds, as a text. */
function firebaseTime (value: unknown): string | undefined {
  const time = new Date(Number(value))
  return value === undefined || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

interface Credential { type?: string, secretData?: string, credentialData?: string }
interface Secret { value?: string, salt?: string }
interface HashParameters {
  algorithm?: string
  hashIterations?: number
  additionalParameters?: Record<string, string[] | undefined>
}

/** The JSON of `kc.sh export --realm NAME --users same_file`, or one of the files of `--users different_files`. */
const fromKeycloak: Convert = user => ({
  external_id: user.id,
  username: typeof user.username === 'string' && !user.username.includes('@') ? user.username : undefined,
  email: user.email,
  name: [user.firstName, user.lastName].filter(Boolean).join(' '),
  email_verified: user.emailVerified,
  password_hash: keycloakHash(user.credentials),
  disabled: user.enabled === false,
  created_at: typeof user.createdTimestamp === 'number' ? new Date(user.createdTimestamp).toISOString() : undefined,
})

function keycloakHash (credentials: unknown): string | undefined {
  const list = Array.isArray(credentials) ? credentials as Credential[] : []
  const password = list.find(credential => credential?.type === 'password')
  if (!password) return undefined
  const secret = parse<Secret>(password.secretData)
  const { algorithm = '', hashIterations, additionalParameters = {} } = parse<HashParameters>(password.credentialData)
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

/** Rows of the table `auth.users`, as CSV or NDJSON. */
const fromSupabase: Convert = user => {
  const profile = profileOf(user.raw_user_meta_data)
  return {
    external_id: user.id,
    email: user.email,
    name: profile.full_name ?? profile.name,
    email_verified: Boolean(user.email_confirmed_at),
    password_hash: user.encrypted_password,
    disabled: isLater(user.banned_until) || Boolean(user.deleted_at),
    created_at: user.created_at,
  }
}

/** JSON in a column of CSV, or an object in NDJSON. */
function profileOf (value: unknown): Record<string, unknown> {
  try {
    return Object(typeof value === 'string' ? JSON.parse(value) : value)
  } catch {
    return {}
  }
}

const isLater = (time: unknown) => typeof time === 'string' && new Date(time).getTime() > Date.now()

export const SYSTEMS: Record<string, (hashes?: FirebaseHashes) => Convert> = {
  auth0: () => fromAuth0,
  firebase: fromFirebase,
  keycloak: () => fromKeycloak,
  supabase: () => fromSupabase,
  'better-auth': () => fromBetterAuth,
}

/** The format of a file, by its name. */
export function formatOf (path: string): Format | undefined {
  const ending = /\.(ndjson|jsonl|csv|json)$/i.exec(path)?.[1]?.toLowerCase()
  return ending === 'jsonl' ? 'ndjson' : ending as Format | undefined
}
