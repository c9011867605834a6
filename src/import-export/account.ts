import { createHash } from 'node:crypto'
import { checkData, type AccountData } from '../accounts/data.ts'
import { InvalidData } from '../accounts/errors.ts'
import { parseStrictly } from '../accounts/strict-json.ts'
import { isPassword, NO_PASSWORD } from '../passwords/no-password.ts'
import { costOf, dummyHash, requireBcrypt, withKnownVersion } from '../passwords/schemes/bcrypt.ts'
import { parseForeignHash } from '../passwords/schemes/foreign-hash.ts'
import { UnusableHash } from '../passwords/schemes/phc.ts'
import { isLanguage, type Language } from '../site/language.ts'
import { timeZoneOf } from '../site/time-zone.ts'

export interface Account {
  /** Missing: made from the email. */
  username?: string
  email: string
  name: string | null
  externalId: string | null
  /** The id in the system that the file comes from. */
  oldId?: string
  emailVerified: boolean
  passwordHash: string
  disabled: boolean
  createdAt: Date | null
  language: Language | null
  timeZone: string | null
  data: AccountData | null
  /** What the check of a password needs: for the equal time of all. */
  hash?: { scheme: string, sample: string, work: number }
}

/** The row cannot be imported. The message contains no value of it. */
export class RefusedRow extends Error {}

/** `user export` writes them, too. They mean nothing to another installation, except that `id` is the old id. */
const OF_EXPORT = ['id', 'providers']
const FIELDS = [
  'username', 'email', 'name', 'external_id', 'email_verified', 'password_hash', 'disabled', 'created_at', 'language',
  'time_zone', 'data', ...OF_EXPORT,
]

/** Separators of lines, and characters that reverse the text around them. Other systems, and 0.2, accept them. */
const NOT_IN_NAMES = /[\u0080-\u009f\u2028-\u202e\u2066-\u2069]/g

/** Reads one row in our own fields. */
export function accountOf (row: Record<string, unknown>): Account {
  const unknown = Object.keys(row).find(name => !FIELDS.includes(name))
  if (unknown !== undefined) throw new RefusedRow(`unknown field ${JSON.stringify(unknown.slice(0, 40))}`)
  const email = text(row, 'email')
  if (!email) throw new RefusedRow('no email')
  const language = text(row, 'language')
  const externalId = id(row, 'external_id')
  return {
    username: text(row, 'username'),
    email,
    name: text(row, 'name')?.replace(NOT_IN_NAMES, '') || null,
    externalId: externalId ?? null,
    oldId: id(row, 'id') ?? externalId,
    emailVerified: flag(row, 'email_verified'),
    disabled: flag(row, 'disabled'),
    createdAt: time(row, 'created_at'),
    language: isLanguage(language) ? language : null,
    timeZone: timeZoneOf(text(row, 'time_zone') ?? '') ?? null,
    data: dataOf(row.data),
    ...hashOf(text(row, 'password_hash')),
  }
}

/** An object, or its JSON text in a column of CSV. */
function dataOf (value: unknown): AccountData | null {
  if (value === undefined || value === null) return null
  try {
    return checkData(typeof value === 'string' ? parseStrictly(value) : value)
  } catch (error) {
    if (error instanceof SyntaxError) throw new RefusedRow('data is not valid JSON')
    throw error instanceof InvalidData ? new RefusedRow(error.message) : error
  }
}

function hashOf (hash: string | undefined): Pick<Account, 'passwordHash' | 'hash'> {
  if (hash === undefined || !isPassword(hash)) return { passwordHash: NO_PASSWORD }
  return readHash(hash, 'password_hash')
}

/** `field`: how the message names it. */
export function readHash (hash: string, field: string): Required<Pick<Account, 'passwordHash' | 'hash'>> {
  try {
    if (costOf(hash) === 0 && !hash.startsWith('$2')) return { passwordHash: hash, hash: parseForeignHash(hash) }
    const { cost } = requireBcrypt(hash)
    return { passwordHash: withKnownVersion(hash), hash: { scheme: 'bcrypt', sample: dummyHash(cost), work: cost } }
  } catch (error) {
    throw error instanceof UnusableHash ? new RefusedRow(`${field}: ${error.message}`) : error
  }
}

function text (row: Record<string, unknown>, name: string): string | undefined {
  const value = row[name] ?? undefined
  if (value !== undefined && typeof value !== 'string') throw new RefusedRow(`${name} is not a text`)
  return value === '' ? undefined : value
}

/** A text, or a number in JSON. */
const id = (row: Record<string, unknown>, name: string) =>
  Number.isSafeInteger(row[name]) ? String(row[name]) : text(row, name)

const FLAGS: Record<string, boolean> = { true: true, t: true, 1: true, false: false, f: false, 0: false }

/** As JSON, or as the text that PostgreSQL and spreadsheets write. */
function flag (row: Record<string, unknown>, name: string): boolean {
  const value = row[name] ?? false
  if (typeof value === 'boolean') return value
  const key = String(value).toLowerCase()
  const found = Object.hasOwn(FLAGS, key) ? FLAGS[key] : undefined
  if (found === undefined) throw new RefusedRow(`${name} is neither true nor false`)
  return found
}

function time (row: Record<string, unknown>, name: string): Date | null {
  const value = text(row, name)
  if (value === undefined) return null
  const date = new Date(value)
  if (!(date.getTime() <= Date.now() && date.getFullYear() >= 1970)) throw new RefusedRow(`${name} is not a past time`)
  return date
}

/** A username from an address whose system had none: `ada.lovelace` for `ada.lovelace+news@example.com`. */
export function usernameFor (email: string): string {
  const local = email.split(/[@+]/)[0] ?? ''
  const cleaned = local.replace(/[^A-Za-z0-9._-]/g, '').slice(0, 32).replace(/^[._-]+|[._-]+$/g, '')
  return cleaned.length >= 3 ? cleaned : distinctUsernameFor(email)
}

/** For a second one with the same beginning. The same address gets the same username each time. */
export function distinctUsernameFor (email: string): string {
  const digest = createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 10)
  const beginning = (email.split(/[@+]/)[0] ?? '').replace(/[^A-Za-z0-9]/g, '').slice(0, 20) || 'user'
  return `${beginning}-${digest}`
}
