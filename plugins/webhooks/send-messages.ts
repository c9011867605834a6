import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Webhook as Signature } from 'standardwebhooks'
import { checkUrl, rulesOf } from '../../src/webhooks/address.ts'
import { accountIn } from '../../src/webhooks/messages.ts'
import { post } from '../../src/webhooks/post.ts'
import type { Delivery, Outcome } from '../records/webhooks/deliveries.ts'
import type { Webhook } from '../records/webhooks/webhooks-store.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends the messages that are due, in order for each account. Resolves when none is left, or early if aborted. */
    sendMessages (closing?: AbortSignal): Promise<void>
  }
}

/** To one endpoint at once, by one instance. */
const MAX_AT_ONCE = 10
/** In milliseconds. */
const FIRST_DELAY = 5_000
const MAX_DELAY = 2 * 3_600_000
/** A message is given up this long after its first attempt. */
const MAX_AGE = 24 * 3_600_000
/** After any other answer of an application, its user may still be signed in there: the logout is repeated. */
const LOGGED_OUT = [200, 204]
/** Characters of an answer that are kept. */
const MAX_KEPT = 1_000
/** The endpoint wants no more messages. */
const GONE = 410

interface Request {
  headers: Record<string, string>
  body: string
  isDelivered (status: number): boolean
}

/** Doubled each time: 5 seconds, 10 seconds, … 2 hours. `attempts` is how many have failed. */
const delayAfter = (attempts: number) => Math.min(FIRST_DELAY * 2 ** (attempts - 1), MAX_DELAY)

function createSendMessages (app: FastifyInstance) {
  const { config, deliveries, log, logoutTokens, metrics, users, webhooks, webhooksStore } = app
  const count = metrics.counter(
    'gatehouse_webhook_messages_total',
    'Messages to webhooks: delivered, failed (retried later), or given up',
    { outcome: ['delivered', 'retried', 'given_up'] }
  )
  const rules = rulesOf(config)
  const busy = new Set<string>()

  /** The account as it is now: a repetition never tells of a former state. */
  async function accountOf ({ accountId }: Delivery) {
    const user = accountId === null ? undefined : await users.findById(accountId)
    return user ? accountIn(user) : null
  }

  async function bodyOf (delivery: Delivery): Promise<string> {
    const { type, accountId, data, at } = delivery
    const account = accountId === null ? {} : { userId: accountId, user: await accountOf(delivery) }
    return JSON.stringify({ type, timestamp: at.toISOString(), data: { ...account, ...data } })
  }

  async function signedRequest (delivery: Delivery, webhookId: string): Promise<Request> {
    const [secrets, body, now] = [await webhooks.openSecrets(webhookId), await bodyOf(delivery), new Date()]
    const headers = {
      'content-type': 'application/json',
      'webhook-id': delivery.messageId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': secrets.map(secret => new Signature(secret).sign(delivery.messageId, now, body)).join(' '),
    }
    return { headers, body, isDelivered: status => status >= 200 && status < 300 }
  }

  async function logoutRequest (delivery: Delivery, clientId: string): Promise<Request> {
    return {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `logout_token=${await logoutTokens.create(clientId, delivery)}`,
      isDelivered: status => LOGGED_OUT.includes(status),
    }
  }

  async function attempt (delivery: Delivery, { id, url, application }: Webhook): Promise<Outcome> {
    const { headers, body, isDelivered } = application
      ? await logoutRequest(delivery, application.id)
      : await signedRequest(delivery, id)
    const answer = await post(checkUrl(url, rules), { ...headers, 'user-agent': 'Gatehouse' }, body, rules)
    // PostgreSQL stores no NUL in a text.
    const kept = answer.body.slice(0, MAX_KEPT).replaceAll('\0', '')
    return { status: isDelivered(answer.status) ? 'delivered' : 'failed', answerStatus: answer.status, answer: kept }
  }

  async function send (delivery: Delivery, webhook: Webhook) {
    const outcome = await attempt(delivery, webhook)
      .catch((error): Outcome => ({ status: 'failed', error: error.message }))
    const { messageId, attempts, firstAttemptAt } = delivery
    const isOld = Date.now() - (firstAttemptAt?.getTime() ?? 0) > MAX_AGE
    const isFinal = outcome.status === 'delivered' || outcome.answerStatus === GONE || isOld
    await deliveries.end(delivery, isFinal ? outcome : { ...outcome, status: 'waiting', retryIn: delayAfter(attempts) })
    if (outcome.status === 'delivered') return count({ outcome: 'delivered' })

    count({ outcome: isFinal ? 'given_up' : 'retried' })
    log.warn({ webhook: webhook.id, messageId, attempts, status: outcome.answerStatus, error: outcome.error, isFinal },
      'a message to a webhook failed')
    if (!isFinal) return
    const current = await webhooksStore.find(webhook.id)
    const hasSucceeded = current?.succeededAt && firstAttemptAt && current.succeededAt > firstAttemptAt
    if (outcome.answerStatus === GONE) await webhooks.pauseFailing(webhook, 'it answered 410')
    else if (!hasSucceeded) await webhooks.pauseFailing(webhook, 'it has failed for a day')
  }

  async function sendTo (id: string, closing?: AbortSignal) {
    busy.add(id)
    try {
      while (!closing?.aborted) {
        const webhook = await webhooksStore.find(id)
        const claimed = webhook ? await deliveries.claim(id, MAX_AT_ONCE) : []
        if (!webhook || claimed.length === 0) return
        await Promise.all(claimed.map(delivery => send(delivery, webhook)))
      }
    } finally {
      busy.delete(id)
    }
  }

  return async function sendMessages (closing?: AbortSignal) {
    const due = await deliveries.due()
    await Promise.all(due.filter(id => !busy.has(id)).map(id => sendTo(id, closing)))
  }
}

export default fp(async function (app) {
  app.decorate('sendMessages', createSendMessages(app))
}, {
  name: 'send-messages',
  dependencies: ['deliveries', 'logout-tokens', 'metrics', 'users', 'webhooks', 'webhooks-store'],
})
