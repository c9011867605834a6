import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Attempt } from '../../src/database/run-jobs.ts'
import { MailUnavailable } from '../../src/errors.ts'
import { createServerState } from '../../src/mail/server-state.ts'
import { createMailTransport, isUnreachable, messageId, smtpFailure } from '../../src/mail/transport.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { User } from '../records/accounts/users.ts'
import type { AccountMessage, MailMessage } from './mail-composer.ts'

declare module 'fastify' {
  interface FastifyInstance { mail: ReturnType<typeof createMail> }
}

/** Only someone with the password, the mailbox or the cookies can trigger these. None is dropped. */
const SECURITY_ALERTS: Array<MailMessage['kind']> = [
  'password-changed', 'breached-password', 'email-changed', 'email-displaced', 'email-restored', 'factors-changed',
  'new-sign-in', 'session-theft',
]
/** Of these, a few an hour are sent one by one. The others have a link of their own, or are sent once. */
const SUMMARIZED: Array<MailMessage['kind']> =
  ['password-changed', 'factors-changed', 'new-sign-in', 'session-theft']
/** Someone waits for these: they go before notifications. */
const AWAITED: Array<MailMessage['kind']> = ['verify', 'reset', 'invite', 'already-registered', 'change-email']
/** Someone waits for these to sign in: they go first of all. */
const FIRST: Array<MailMessage['kind']> = ['sign-in', 'confirm-identity']
/** The only mails to an address that was never proved: their links prove it. It may be that of a stranger. */
const PROVE_ADDRESS: Array<MailMessage['kind']> = ['verify', 'reset', 'invite', 'already-registered', 'sign-in']
/** Counted when they are requested, where a request beyond the limit does not end the code before. */
const COUNTED_BEFORE = FIRST
/** For each mailbox and kind of mail, across all clients: a flood of one kind must not stop the others. */
const MAX_PER_HOUR = 5
const HOUR = 3_600_000

function createMail (app: FastifyInstance) {
  const { codeMails, config, counters, jobs, log, mailAlerts, mailComposer, metrics, users } = app
  const count = metrics.counter(
    'gatehouse_mails_total',
    'Mails sent, failed (retried later), refused permanently by the mail server, dropped by the hourly limit, ' +
      'or held back for a summary',
    { outcome: ['sent', 'failed', 'refused', 'dropped', 'held'] }
  )
  metrics.gauge('gatehouse_mails_waiting', 'Mails of all instances waiting to be sent', () => jobs.waiting('mail'))
  let transport: ReturnType<typeof createMailTransport> | undefined
  function connect (url: string) {
    transport ??= createMailTransport(url)
    return transport
  }
  const server = createServerState(async () => {
    if (!config.SMTP_URL) throw new Error('SMTP_URL is not set')
    await (await connect(config.SMTP_URL)).verify()
  })

  /** Counts first attempts only. Security alerts are always sent and never counted. */
  async function exceedsLimit ({ kind, email }: AccountMessage, user: User, attempt: number): Promise<boolean> {
    if (attempt > 0 || SECURITY_ALERTS.includes(kind) || COUNTED_BEFORE.includes(kind)) return false
    // The user chooses this address: without a count for each account, one could send mails to many strangers.
    const who = kind === 'change-email' ? [email.toLowerCase(), `user:${user.id}`] : [email.toLowerCase()]
    const uses = await Promise.all(who.map(each => counters.take(`mail:${kind}:${each}`, HOUR)))
    return uses.some(({ count }) => count > MAX_PER_HOUR)
  }

  /** Counts first attempts only. What a crash repeats is sent rather than held back. */
  async function isHeldBack (message: AccountMessage, user: User, attempt: number): Promise<boolean> {
    if (attempt > 0 || 'more' in message || !SUMMARIZED.includes(message.kind)) return false
    // One change must not hide another one.
    const alert = 'change' in message ? `${message.kind}:${message.change}` : message.kind
    return mailAlerts.count(user.id, alert, message.email, message)
  }

  /** For the owner of an account. Undefined if there is nothing to send. */
  async function composeFor (message: AccountMessage, { job, attempt }: Attempt) {
    const user = 'userId' in message ? await users.findById(message.userId) : await users.findByEmail(message.email)
    if (!user && message.kind === 'sign-in') {
      const invitation = await codeMails.signUp(message)
      return invitation && { to: message.email, ...invitation, userId: undefined }
    }
    if (!user || user.disabledAt || (message.kind === 'verify' && user.emailVerifiedAt)) return
    if (!user.emailVerifiedAt && !PROVE_ADDRESS.includes(message.kind) && !('userId' in message)) return
    if (await exceedsLimit(message, user, attempt)) {
      count({ outcome: 'dropped' })
      const context = { mail: message.kind, job, userId: user.id }
      log.warn(context, 'mail dropped: too many of this kind to this mailbox in an hour')
      return
    }
    if (await isHeldBack(message, user, attempt)) {
      count({ outcome: 'held' })
      return
    }
    const composed = await mailComposer.compose(message, user)
    return composed && { to: user.email, ...composed, userId: user.id }
  }

  async function deliver (message: MailMessage, { job, attempt }: Attempt) {
    const context = { mail: message.kind, job }
    if (!config.SMTP_URL) return log.warn(context, 'mail not sent: SMTP_URL is not set')

    const composed = message.kind === 'webhook-paused'
      ? { ...mailComposer.composeNotice(message), to: message.email, userId: undefined }
      : await composeFor(message, { job, attempt })
    if (!composed) return
    const { to, userId, ...content } = composed
    const connection = await connect(config.SMTP_URL)
    try {
      await connection.sendMail({
        from: config.MAIL_FROM,
        to: { name: '', address: to },
        messageId: messageId(message.kind, job, attempt, config.PUBLIC_URL),
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        ...content,
      })
      log.info({ ...context, userId }, 'mail sent')
      count({ outcome: 'sent' })
      server.note(true)
    } catch (error) {
      if (isUnreachable(error)) server.note(false)
      const failure = smtpFailure(error)
      count({ outcome: failure.permanent ? 'refused' : 'failed' })
      if (!failure.permanent) throw failure
      log.warn({ ...context, userId, err: failure }, 'mail refused permanently')
    }
  }

  jobs.handle('mail', deliver)
  app.addHook('onClose', async function close () {
    await jobs.stop()
    const opened = await transport
    opened?.close()
  })

  return {
    /**
     * Sends the mails after the caller's transaction has committed. The accounts are looked up only then,
     * so that the response time does not reveal whether they exist. Mails to one address may overtake each other: a
     * link that is issued when its mail is composed replaces the one before, whichever was requested first.
     */
    queue: (client: Queryable, ...messages: MailMessage[]) => jobs.add(client, 'mail', messages.map(message => ({
      data: message,
      group: message.email.toLowerCase(),
      priority: FIRST.includes(message.kind) ? 2 : Number(AWAITED.includes(message.kind)),
    }))),

    /** Before a mail that is of no use later: 503 if the mail server cannot be reached now. */
    async requireServer () {
      if (!await server.isUp()) throw new MailUnavailable()
    },
  }
}

export default fp(async function (app) {
  app.decorate('mail', createMail(app))
}, {
  name: 'mail',
  dependencies: ['code-mails', 'counters', 'jobs', 'mail-alerts', 'mail-composer', 'metrics', 'users'],
})
