import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Mail, type WebhookPaused, writeWebhookPaused } from '../../src/mail/templates.ts'
import type { FactorChange } from '../../src/mail/values.ts'
import { isPassword } from '../../src/passwords/no-password.ts'
import type { TokenKind } from '../records/accounts/one-time-tokens.ts'
import type { User } from '../records/accounts/users.ts'
import type { ConfirmMessage, SignInMessage } from './code-mails.ts'

declare module 'fastify' {
  interface FastifyInstance { mailComposer: ReturnType<typeof createMailComposer> }
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
  | Omit<SignInMessage, 'email'>
  | Omit<ConfirmMessage, 'email'>
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

export type AccountMessage = Exclude<MailMessage, WebhookPaused>

/** The link sets the first password, like one that resets it. */
const INVITATION_LIFETIME = '7 days'

/** `to`: if it is not the address of the account. */
type ComposedMail = Mail & { to?: string }

function createMailComposer (app: FastifyInstance) {
  const { addressLinks, codeMails, database, mailWriter, oneTimeTokens, users } = app
  const { linkTo, sender, writeTo } = mailWriter

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
    const code = await codeMails.codeOfChange(to, user)
    return { ...writeTo(user, 'change-email', { username: user.username, link, code }), to }
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
        return codeMails.verify(user, await linkFor(user, 'verify-email', 'verify', message.next))
      case 'sign-in':
        return codeMails.signIn(message, user)
      case 'confirm-identity':
        return codeMails.confirm(message, user)
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
    composeNotice: (message: WebhookPaused) => writeWebhookPaused(message, sender.brand),
  }
}

export default fp(async function (app) {
  app.decorate('mailComposer', createMailComposer(app))
}, {
  name: 'mail-composer',
  dependencies: ['address-links', 'code-mails', 'database', 'mail-writer', 'one-time-tokens', 'users'],
})
