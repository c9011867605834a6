import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Attempt } from '../../src/database/run-jobs.ts'
import { createMailWriter, type FactorChange, type Mail } from '../../src/mail/templates.ts'
import { createMailTransport } from '../../src/mail/transport.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { User } from '../records/users.ts'

declare module 'fastify' {
  interface FastifyInstance { mail: Awaited<ReturnType<typeof createMail>> }
}

export type MailMessage = { email: string } & (
  | { kind: 'verify' | 'reset' | 'password-changed' | 'already-registered' }
  | { kind: 'factors-changed', change: FactorChange }
  | { kind: 'new-sign-in', ip: string, device: string, at: string })

/** Only someone with the password or the mailbox can trigger these. */
const SECURITY_ALERTS: Array<MailMessage['kind']> = ['password-changed', 'factors-changed', 'new-sign-in']
/** For each mailbox and kind of mail, across all clients: a flood of one kind must not stop the others. */
const MAX_PER_HOUR = 5
const HOUR = 3_600_000

async function createMail (app: FastifyInstance) {
  const { config, counters, jobs, log, metrics, oneTimeTokens, users } = app
  const count = metrics.counter(
    'gatehouse_mails_total',
    'Mails sent, failed (retried later), refused permanently by the mail server, or dropped by the hourly limit',
    { outcome: ['sent', 'failed', 'refused', 'dropped'] }
  )
  metrics.gauge('gatehouse_mails_waiting', 'Mails of all instances waiting to be sent', () => jobs.waiting('mail'))
  const sender = { brand: config.BRAND_NAME, url: config.PUBLIC_URL.replace(/\/+$/, '') }
  const writeMail = await createMailWriter(sender)
  const transport = config.SMTP_URL ? createMailTransport(config.SMTP_URL) : undefined

  /** The token is in the fragment, which browsers send neither to servers nor in `Referer`. */
  async function linkFor (user: User, page: string, kind: 'verify' | 'reset'): Promise<string> {
    return `${sender.url}/${page}#token=${await oneTimeTokens.issue(user.id, kind)}`
  }

  async function compose (message: MailMessage, user: User): Promise<Mail> {
    const { username, passwordHash } = user
    switch (message.kind) {
      case 'verify':
        return writeMail('verify', { username, link: await linkFor(user, 'verify-email', 'verify') })
      case 'reset':
        if (passwordHash === null) return writeMail('no-password', { username })
        return writeMail('reset', { username, link: await linkFor(user, 'reset-password', 'reset') })
      case 'new-sign-in':
        return writeMail('new-sign-in', { ...message, username, hasPassword: passwordHash !== null })
      case 'factors-changed':
        return writeMail('factors-changed', { ...message, username })
      default:
        return writeMail(message.kind, { username })
    }
  }

  /** Counts first attempts only. Security alerts are always sent and never counted. */
  async function exceedsLimit ({ kind }: MailMessage, user: User, attempt: number): Promise<boolean> {
    if (attempt > 0 || SECURITY_ALERTS.includes(kind)) return false
    const { count } = await counters.take(`mail:${kind}:${user.email.toLowerCase()}`, HOUR)
    return count > MAX_PER_HOUR
  }

  async function deliver (message: MailMessage, { job, attempt }: Attempt) {
    const context = { mail: message.kind, job }
    if (!transport) return log.warn(context, 'mail not sent: SMTP_URL is not set')

    const user = await users.findByEmail(message.email)
    if (!user || user.disabledAt || (message.kind === 'verify' && user.emailVerifiedAt)) return
    if (await exceedsLimit(message, user, attempt)) {
      count({ outcome: 'dropped' })
      return log.warn({ ...context, userId: user.id }, 'mail dropped: too many of this kind to this mailbox in an hour')
    }

    const content = await compose(message, user)
    try {
      await transport.sendMail({
        from: config.MAIL_FROM,
        to: { name: '', address: user.email },
        messageId: messageIdOf(message, job, attempt),
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        ...content,
      })
      log.info({ ...context, userId: user.id }, 'mail sent')
      count({ outcome: 'sent' })
    } catch (error) {
      const failure = sanitize(error)
      count({ outcome: failure.permanent ? 'refused' : 'failed' })
      if (!failure.permanent) throw failure
      log.warn({ ...context, userId: user.id, err: failure }, 'mail refused permanently')
    }
  }

  /**
   * A retry keeps the Message-ID, so that mail clients recognize a duplicate. A mail with a link gets a new one:
   * each attempt issues a new link, which replaces the one before.
   */
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
     * Sends the mail after the caller's transaction has committed. The account is looked up only then,
     * so that the response time does not reveal whether it exists. Mails to one address are sent in order:
     * of two links, the one that arrives last is valid.
     */
    queue: (client: Queryable, message: MailMessage) => jobs.add(client, 'mail', message, message.email.toLowerCase()),
  }
}

interface SmtpError extends Error { code?: string, responseCode?: number, command?: string }

/** Keeps only the codes of an SMTP error: its text may quote the mail, including the link. */
function sanitize (error: unknown): Error & { permanent: boolean } {
  const { code, responseCode = 0, command } = error as SmtpError
  const codes = [code, responseCode || '', command && `at ${command}`].filter(Boolean).join(' ')
  // The recipient or the content was refused. Other failures, such as a wrong SMTP password, can be repaired.
  const permanent = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
  return Object.assign(new Error(`the mail server did not accept the mail: ${codes || 'no response'}`), { permanent })
}

export default fp(async function (app) {
  app.decorate('mail', await createMail(app))
}, { name: 'mail', dependencies: ['counters', 'jobs', 'metrics', 'one-time-tokens', 'users'] })
