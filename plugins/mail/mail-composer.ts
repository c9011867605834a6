import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createMailWriter, type Mail, type WebhookPaused, writeWebhookPaused } from '../../src/mail/templates.ts'
import type { FactorChange, MailName, MailValues } from '../../src/mail/values.ts'
import { findPageFiles } from '../../src/site/files.ts'
import { isPassword } from '../../src/passwords/no-password.ts'
import { DEFAULT_LANGUAGE, type Language } from '../../src/site/language.ts'
import type { TokenKind } from '../records/accounts/one-time-tokens.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { mailComposer: Awaited<ReturnType<typeof createMailComposer>> }
}

/** In place of alerts that were held back. Version 0.2 ignores it, and sends the last one of them. */
interface Summary {
  /** To the mailbox that got the first alerts, also if it is not that of the account any more. */
  userId: string
  more: { count: number, from: string | Date, until: string | Date }
}

/** Tells the owner of an account what happened to it. Many of one kind become one summary. */
type Alert =
  | { kind: 'password-changed' }
  // `operatorRemoved` is a field of its own, because version 0.2 does not know such a change.
  | { kind: 'factors-changed', change: FactorChange, operatorRemoved?: boolean }
  // Version 0.2 cannot write the second one, and leaves it to the others.
  | { kind: 'new-sign-in' | 'session-theft', ip: string, device: string, at: string }

export type AlertMessage = { email: string } & Alert

export type MailMessage = { email: string } & (
  // `next`: the path to open after the sign-in. Version 0.2 queues them without it, and ignores it.
  | { kind: 'verify' | 'reset' | 'invite' | 'already-registered', next?: string }
  // `askedBy`: the digest of what only the browser that asked has. `language`: of the page, for a new account.
  | { kind: 'sign-in', askedBy: string, language?: Language, next?: string }
  | { kind: 'confirm-identity', askedBy: string }
  // Of a password that an operator expired, version 0.2 says that it was exposed.
  | { kind: 'breached-password', expired?: boolean }
  | { kind: 'email-restored' }
  // To an address that is not that of the account, or not any more. Version 0.2 queues them without a link.
  | { kind: 'change-email' | 'email-changed', userId: string, link?: string }
  | { kind: 'email-displaced', userId: string }
  | Alert
  | (Alert & Summary)
  // To an operator, who need not have an account.
  | WebhookPaused)

export type SignInMessage = Extract<MailMessage, { kind: 'sign-in' }>

export type AccountMessage = Exclude<MailMessage, WebhookPaused>

/** The link sets the first password, like one that resets it. */
const INVITATION_LIFETIME = '7 days'

/** `to`: if it is not the address of the account. */
type ComposedMail = Mail & { to?: string }

async function createMailComposer (app: FastifyInstance) {
  const { addressLinks, config, database, mailCodes, oneTimeTokens, users } = app
  const sender = {
    brand: config.BRAND_NAME,
    color: config.BRAND_COLOR,
    logo: config.BRAND_LOGO,
    url: config.PUBLIC_URL.replace(/\/+$/, ''),
  }
  const { files } = await findPageFiles(config.TEMPLATES_DIR)
  const writeMail = await createMailWriter(sender, files)
  const writeTo = <Name extends MailName>({ language }: User, name: Name, values: MailValues[Name]) =>
    writeMail(name, values, language ?? DEFAULT_LANGUAGE)

  /** The token is in the fragment, which browsers send neither to servers nor in `Referer`. */
  const linkTo = (page: string, token: string, next?: string) =>
    `${sender.url}/${page}#${new URLSearchParams({ token, ...next && { next } })}`
  async function linkFor (user: User, page: string, kind: TokenKind, next?: string): Promise<string> {
    return linkTo(page, await oneTimeTokens.issue(user.id, kind), next)
  }

  /** Without a link, it was requested at an instance of version 0.2, and nothing tells whether it has ended since. */
  async function composeChange (to: string, encrypted: string | undefined, user: User) {
    const token = encrypted && await addressLinks.open(encrypted, 'change_email')
    const holder = await users.findByEmail(to)
    if (!token || holder?.id === user.id) return undefined
    if (holder?.emailVerifiedAt) return { ...writeTo(holder, 'address-taken', holder), to: holder.email }
    const link = `${linkTo('verify-email', token)}&for=change`
    const issued = await mailCodes.issue({ purpose: 'change-email', email: to, userId: user.id })
    return { ...writeTo(user, 'change-email', { username: user.username, link, code: issued?.code }), to }
  }

  async function composeVerify (user: User, next?: string): Promise<ComposedMail> {
    const issued = await mailCodes.issue({ purpose: 'verify', email: user.email, userId: user.id })
    const link = await linkFor(user, 'verify-email', 'verify', next)
    return writeTo(user, 'verify', { username: user.username, link, code: issued?.code })
  }

  /** Undefined if a newer request took its place, or the code would have expired. */
  async function composeSignIn ({ email, askedBy, next }: SignInMessage, user: User) {
    const issued = await mailCodes.issue({
      purpose: 'sign-in', email, askedBy: Buffer.from(askedBy, 'base64url'), userId: user.id,
    })
    if (!issued) return undefined
    const link = linkTo('login/mail', issued.token, next)
    return writeTo(user, 'sign-in', { username: user.username, link, code: issued.code })
  }

  /** For an address without an account. */
  async function composeSignUp ({ email, askedBy, language, next }: SignInMessage): Promise<Mail | undefined> {
    if (config.REGISTRATION === 'closed') return undefined
    const issued = await mailCodes.issue({ purpose: 'sign-in', email, askedBy: Buffer.from(askedBy, 'base64url') })
    const link = issued && linkTo('login/mail', issued.token, next)
    return link ? writeMail('sign-up', { link, code: issued.code }, language ?? DEFAULT_LANGUAGE) : undefined
  }

  async function composeConfirmation (email: string, askedBy: string, user: User) {
    const issued = await mailCodes.issue({
      purpose: 'confirm', email, askedBy: Buffer.from(askedBy, 'base64url'), userId: user.id,
    })
    return issued?.code ? writeTo(user, 'confirm-identity', { username: user.username, code: issued.code }) : undefined
  }

  function composeSummary ({ more, ...message }: AlertMessage & Summary, user: User): Mail {
    const change = 'change' in message ? message.change : undefined
    return writeTo(user, 'more-alerts', { username: user.username, alert: message.kind, change, ...more })
  }

  /** The link of a change that version 0.2 made, unless a change was undone: it would void that. */
  async function undoOfEarlierVersion (user: User, former: string): Promise<string | undefined> {
    return await addressLinks.wasUndone(user.id) ? undefined : addressLinks.addUndo(database, user.id, former)
  }

  /** To a former address. Its link may have ended with an undo. */
  async function composeDisplaced (former: string, encrypted: string | undefined, user: User) {
    if (user.email.toLowerCase() === former.toLowerCase()) return undefined
    const { username, email } = user
    const token = encrypted && await addressLinks.open(encrypted, 'undo_email')
    const link = token && `${linkTo('verify-email', token)}&for=undo`
    const content = link
      ? writeTo(user, 'email-changed', { username, email, link })
      : writeTo(user, 'email-displaced', { username })
    return { ...content, to: former }
  }

  const signInLink = (next?: string) => next && `${sender.url}/login?${new URLSearchParams({ next })}`

  async function composeReset (user: User, next?: string): Promise<ComposedMail | undefined> {
    const { username, passwordHash, emailVerifiedAt } = user
    if (passwordHash === null) {
      return emailVerifiedAt ? writeTo(user, 'no-password', { username, link: signInLink(next) }) : undefined
    }
    return writeTo(user, 'reset', { username, link: await linkFor(user, 'reset-password', 'reset', next) })
  }

  /** Other links are issued here, so that they are as new as the mail. Undefined if there is nothing to say. */
  async function compose (message: AccountMessage, user: User): Promise<ComposedMail | undefined> {
    const { username, passwordHash } = user
    if ('more' in message) return { ...composeSummary(message, user), to: message.email }
    switch (message.kind) {
      case 'change-email':
        return composeChange(message.email, message.link, user)
      case 'email-changed':
        return composeDisplaced(message.email, message.link ?? await undoOfEarlierVersion(user, message.email), user)
      case 'email-displaced':
        return composeDisplaced(message.email, undefined, user)
      case 'verify':
        return composeVerify(user, message.next)
      case 'sign-in':
        return composeSignIn(message, user)
      case 'confirm-identity':
        return composeConfirmation(message.email, message.askedBy, user)
      case 'reset':
        return composeReset(user, message.next)
      case 'already-registered':
        return user.emailVerifiedAt
          ? writeTo(user, message.kind, { username, link: signInLink(message.next) })
          : composeReset(user, message.next)
      case 'invite': {
        const token = await oneTimeTokens.issue(user.id, 'reset', INVITATION_LIFETIME)
        return writeTo(user, 'invite', { username, link: linkTo('reset-password', token) })
      }
      case 'breached-password':
        return writeTo(user, message.expired ? 'password-expired' : message.kind, { username })
      case 'new-sign-in':
        return writeTo(user, isPassword(passwordHash) ? 'new-sign-in' : 'new-sign-in-without-password',
          { ...message, username })
      case 'session-theft':
        return writeTo(user, message.kind, { ...message, username })
      case 'factors-changed':
        return writeTo(user, 'factors-changed',
          { username, change: message.operatorRemoved ? 'operator_factors_reset' : message.change })
      default:
        return writeTo(user, message.kind, { username })
    }
  }

  return {
    compose,
    composeSignUp,
    composeNotice: (message: WebhookPaused) => writeWebhookPaused(message, sender.brand),
  }
}

export default fp(async function (app) {
  app.decorate('mailComposer', await createMailComposer(app))
}, { name: 'mail-composer', dependencies: ['address-links', 'database', 'mail-codes', 'one-time-tokens', 'users'] })
