import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createBackgroundWork } from '../../src/database/background-work.ts'
import { endOfSession, endOfSignIn, messageOf, type EndedSession, type Message } from '../../src/webhooks/messages.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Adds the messages of what has happened since the last time. One instance does so at a time. */
    announceEvents (closing?: AbortSignal): Promise<void>
  }
}

/** Between two looks for something to announce or to send. */
const INTERVAL = 1_000
const BATCH_SIZE = 1_000

function createAnnounceEvents ({ announcements, database, deliveries, eventReader }: FastifyInstance) {
  async function withoutPlaceholders (client: Queryable, messages: Message[]): Promise<Message[]> {
    const told = messages.filter(({ type }) => type === 'user.created' || type === 'user.updated')
    if (told.length === 0) return messages
    const placeholders = await announcements.placeholders(client, told.map(({ accountId }) => accountId as string))
    return messages.filter(({ accountId }) => !placeholders.has(accountId as string))
  }

  /** A session that goes on under another id stays signed in at the applications. */
  async function announceLogouts (client: Queryable, ended: EndedSession[]) {
    const signIns = await announcements.endedSignIns(client, ended.filter(({ replacedBy }) => replacedBy === null))
    await deliveries.addLogouts(client, signIns.map(endOfSignIn))
  }

  /** Returns whether there may be more. */
  async function announceBatch (client: Queryable): Promise<boolean> {
    const batch = await eventReader.next(client, 'webhooks', BATCH_SIZE)
    if (!batch) return false
    const ended = batch.finished ? await announcements.endedSessions(client, batch.finished) : []
    if (batch.isIdle && ended.length === 0) return false
    const announced = batch.events.map(messageOf).filter(message => message !== undefined)
    const ends = ended.map(endOfSession)
    // A session ends after it began. What else one transaction does has no order.
    await deliveries.add(client, [...await withoutPlaceholders(client, announced), ...ends])
    await announceLogouts(client, ended)
    await batch.advance()
    return !batch.isLast
  }

  return async function announceEvents (closing?: AbortSignal) {
    while (!closing?.aborted && await database.transact(announceBatch));
  }
}

export default fp(async function (app) {
  app.decorate('announceEvents', createAnnounceEvents(app))

  const { repeat, start } = createBackgroundWork(app, 'webhooks are delayed')
  repeat(INTERVAL, async function announceAndSend () {
    await start(app.announceEvents)
    // Not awaited: a slow endpoint delays neither the others nor the announcing.
    start(app.sendMessages)
  })
}, {
  name: 'announce-events',
  dependencies: ['announcements', 'database', 'deliveries', 'event-reader', 'send-messages'],
})
