import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  alreadyRegisteredMail, newSignInMail, noPasswordMail, passwordChangedMail, resetMail, verifyMail, type Mail,
} from '../../src/mail/templates.ts'
import { createMailTransport } from '../../src/mail/transport.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { Attempt } from '../infrastructure/jobs.ts'
import type { User } from '../records/users.ts'

declare module 'fastify' {
  interface FastifyInstance { mail: ReturnType<typeof createMail> }
}

export type MailMessage = { email: string } & (
  | { kind: 'verify' | 'reset' | 'password-changed' | 'already-registered' }
  | { kind: 'new-sign-in', ip: string, device: string, at: string })

/** Only who has the password, or the mailbox, brings these about. */
const ALARMS: Array<MailMessage['kind']> = ['password-changed', 'new-sign-in']
/** For each mailbox in an hour, whoever asks. */
const MAX_PER_HOUR = 5
const HOUR = 3_600_000

function createMail (app: FastifyInstance) {
  const { config, counters, jobs, log, metrics, oneTimeTokens, users } = app
  const count = metrics.counter('gatehouse_mails_total', 'Mails: sent, failed and tried again later, refused for good, or dropped', {
    outcome: ['sent', 'failed', 'refused', 'dropped'],
  })
  metrics.gauge('gatehouse_mails_waiting', 'Mails of all instances that wait to be sent', () => jobs.waiting('mail'))
  const sender = { brand: config.BRAND_NAME, url: config.PUBLIC_URL.replace(/\/+$/, '') }
  const transport = config.SMTP_URL ? createMailTransport(config.SMTP_URL) : undefined

  /** After the hash, where no server log and no Referer sees it. */
  async function linkFor (user: User, page: string, kind: 'verify' | 'reset'): Promise<string> {
    return `${sender.url}/${page}#token=${await oneTimeTokens.issue(user.id, kind)}`
  }

  async function write (message: MailMessage, user: User): Promise<Mail> {
    switch (message.kind) {
      case 'verify': return verifyMail(sender, { username: user.username, link: await linkFor(user, 'verify-email', 'verify') })
      case 'reset': return user.passwordHash
        ? resetMail(sender, { username: user.username, link: await linkFor(user, 'reset-password', 'reset') })
        : noPasswordMail(sender, user)
      case 'password-changed': return passwordChangedMail(sender, user)
      case 'already-registered': return alreadyRegisteredMail(sender, user)
      case 'new-sign-in': return newSignInMail(sender, { ...message, username: user.username, hasPassword: user.passwordHash !== null })
    }
  }

  /** Counted at the first attempt only. Alarms always go out: anybody could use up the share of a mailbox beforehand. */
  async function isOneTooMany ({ kind }: MailMessage, user: User, attempt: number): Promise<boolean> {
    if (attempt > 0) return false
    const { count } = await counters.take(`mail:${user.email.toLowerCase()}`, HOUR)
    return count > MAX_PER_HOUR && !ALARMS.includes(kind)
  }

  async function deliver (message: MailMessage, { job, attempt }: Attempt) {
    const about = { mail: message.kind, job }
    if (!transport) return log.warn(about, 'mail not sent: SMTP_URL is not set')

    const user = await users.findByEmail(message.email)
    if (!user || user.disabledAt || (message.kind === 'verify' && user.emailVerifiedAt)) return
    if (await isOneTooMany(message, user, attempt)) {
      count({ outcome: 'dropped' })
      return log.warn({ ...about, userId: user.id }, 'mail dropped: the mailbox has had its share of this hour')
    }

    const letter = await write(message, user)
    try {
      await transport.sendMail({
        from: config.MAIL_FROM,
        to: { name: '', address: user.email },
        messageId: messageIdOf(message, job, attempt),
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        ...letter,
      })
      log.info({ ...about, userId: user.id }, 'mail sent')
      count({ outcome: 'sent' })
    } catch (error) {
      const refusal = withoutQuotes(error)
      count({ outcome: refusal.final ? 'refused' : 'failed' })
      if (!refusal.final) throw refusal
      log.warn({ ...about, userId: user.id, err: refusal }, 'mail refused for good')
    }
  }

  /** A mail that may be sent twice keeps its name; one with a link does not: the later link ends the one before. */
  function messageIdOf ({ kind }: MailMessage, job: string, attempt: number): string {
    const hasLink = kind === 'verify' || kind === 'reset'
    return `<${job}${hasLink ? `.${attempt}` : ''}@${new URL(sender.url).hostname}>`
  }

  jobs.handle('mail', deliver)
  app.addHook('onClose', async function close () {
    await jobs.stop()
    transport?.close()
  })

  return {
    /**
     * Goes out when the transaction of the caller is committed. Who it is for is found out then,
     * so asking takes as long for an address that nobody has. Those to one address go one after
     * another: of two links the one that comes last is the one that works.
     */
    queue: (client: Queryable, message: MailMessage) => jobs.add(client, 'mail', message, message.email.toLowerCase()),
  }
}

interface SmtpError extends Error { code?: string, responseCode?: number, command?: string }

/** A mail server may quote our mail, link and all, in what it says: only its codes go on from here. */
function withoutQuotes (error: unknown): Error & { final: boolean } {
  const { code, responseCode = 0, command } = error as SmtpError
  const words = [code, responseCode || '', command && `at ${command}`].filter(Boolean).join(' ')
  // For this reader or this mail. Anything else may be mended: a password, a sender address, a network.
  const final = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
  return Object.assign(new Error(`the mail server did not take it: ${words || 'no answer'}`), { final })
}

export default fp(async function (app) {
  app.decorate('mail', createMail(app))
}, { name: 'mail', dependencies: ['counters', 'jobs', 'metrics', 'one-time-tokens', 'users'] })
