import { createHash } from 'node:crypto'
import { HttpError } from '../errors.ts'

export const MESSAGE_TYPES = [
  'user.created', 'user.imported', 'user.verified', 'user.updated', 'user.disabled', 'user.enabled', 'user.deleted',
  'session.created', 'session.replaced', 'session.ended', 'password.changed', 'factor.added', 'factor.removed',
  'identity.linked', 'identity.unlinked', 'application.allowed', 'application.disconnected', 'audit.sealed',
] as const

export type MessageType = typeof MESSAGE_TYPES[number]

/** For the endpoints of applications. No other webhook can ask for it. */
export const LOGOUT = 'openid.logout'

const isType = (name: string): name is MessageType | '*' => ['*', ...MESSAGE_TYPES].includes(name)

/** The types that an endpoint asks for, or a 400. */
export function checkTypes (names: string[]): Array<MessageType | '*'> {
  if (names.length === 0 || !names.every(isType)) {
    throw new HttpError(400, `Unknown or missing events. Events: ${MESSAGE_TYPES.join(', ')}, or * for all.`)
  }
  return [...new Set(names)]
}

interface Account {
  id: string
  externalId: string | null
  username: string
  email: string
  name: string | null
  language: string | null
  timeZone: string | null
  emailVerifiedAt: Date | null
  disabledAt: Date | null
}

/** What messages tell of an account. */
export function accountIn ({ emailVerifiedAt, disabledAt, ...account }: Account) {
  const { id, externalId, username, email, name, language, timeZone } = account
  const [emailVerified, disabled] = [emailVerifiedAt !== null, disabledAt !== null]
  return { id, externalId, username, email, name, language, timeZone, emailVerified, disabled }
}

/** `data` has nothing personal: the account is read when the message is sent. */
export interface Message {
  id: string
  type: MessageType | typeof LOGOUT
  accountId: string | null
  data: Record<string, string | number | string[] | null>
  at: Date
}

interface RecordedEvent {
  what: string
  accountId: string | null
  sessionId: string | null
  /** What it is about, besides the account: an application, or the changed fields. */
  subject: string | null
  salt: string
  at: Date
}

/** What is announced of each event of an account. docs/events.md has the same table. */
export const ANNOUNCED: Record<string, [type: MessageType, data?: Message['data']]> = {
  registered: ['user.created'],
  // One for all accounts of a batch: messageOfImport. The event of each account, `imported`, is not announced.
  accounts_imported: ['user.imported'],
  profile_changed: ['user.updated'],
  email_verified: ['user.verified'],
  email_changed: ['user.updated', { changed: 'email' }],
  email_change_undone: ['user.updated', { changed: 'email' }],
  account_disabled: ['user.disabled'],
  account_enabled: ['user.enabled'],
  account_deleted: ['user.deleted'],
  sign_in: ['session.created'],
  password_changed: ['password.changed', { reason: 'changed' }],
  password_reset: ['password.changed', { reason: 'reset' }],
  password_set: ['password.changed', { reason: 'set_by_operator' }],
  password_expired: ['password.changed', { reason: 'expired_by_operator' }],
  password_added: ['password.changed', { reason: 'added' }],
  totp_added: ['factor.added', { factor: 'totp' }],
  totp_removed: ['factor.removed', { factor: 'totp' }],
  passkey_added: ['factor.added', { factor: 'passkey' }],
  passkey_removed: ['factor.removed', { factor: 'passkey' }],
  factors_reset: ['factor.removed', { factor: 'all' }],
  provider_linked: ['identity.linked'],
  provider_removed: ['identity.unlinked'],
  application_allowed: ['application.allowed'],
  application_disconnected: ['application.disconnected'],
}

/** The same for each repetition, also after a restore, and different for each event. */
const idOf = (...parts: string[]) => `msg_${createHash('sha256').update(parts.join(' ')).digest('base64url')}`

/** Undefined if nothing is announced of this event. */
export function messageOf ({ what, accountId, sessionId, subject, salt, at }: RecordedEvent): Message | undefined {
  const [type, data = {}] = ANNOUNCED[what] ?? []
  if (!type || accountId === null) return undefined
  const session: Message['data'] = type === 'session.created' ? { sessionId } : {}
  const fields: Message['data'] = what === 'profile_changed' ? { changed: subject } : {}
  const application: Message['data'] = type.startsWith('application.') ? { applicationId: subject } : {}
  return { id: idOf(type, salt), type, accountId, data: { what, ...data, ...fields, ...session, ...application }, at }
}

export interface EndedSession {
  sid: string
  accountId: string
  reason: string | null
  at: Date
  /** The session goes on under this id. */
  replacedBy: string | null
}

export function endOfSession ({ sid, accountId, reason, at, replacedBy }: EndedSession): Message {
  if (replacedBy) {
    const data = { sessionId: replacedBy, replacedSessionId: sid }
    return { id: idOf('session.replaced', sid), type: 'session.replaced', accountId, data, at }
  }
  return { id: idOf('session.ended', sid), type: 'session.ended', accountId, data: { sessionId: sid, reason }, at }
}

/** An application signed the user in from the session. `sid` is how it knows that session. */
export interface EndedSignIn { applicationId: string, sid: string, accountId: string, at: Date }

/** For one application. */
export interface Logout extends Message { applicationId: string }

export function endOfSignIn ({ applicationId, sid, accountId, at }: EndedSignIn): Logout {
  return { id: idOf(LOGOUT, applicationId, sid), type: LOGOUT, applicationId, accountId, data: { sid }, at }
}

/** So that the owner of the database cannot rewrite the history unnoticed. */
export function messageOfSeal ({ number, hash, sealedAt }: { number: number, hash: Buffer, sealedAt: Date }): Message {
  const data = { seal: String(number), hash: hash.toString('hex') }
  return { id: idOf('audit.sealed', data.hash), type: 'audit.sealed', accountId: null, data, at: sealedAt }
}

/** The ids instead of the accounts, so that a batch of a thousand stays small. */
export function messageOfImport (userIds: string[], { salt, at }: { salt: string, at: Date }): Message {
  const data = { what: 'accounts_imported', count: userIds.length, userIds }
  return { id: idOf('user.imported', salt), type: 'user.imported', accountId: null, data, at }
}
