import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../../src/errors.ts'
import { COMMAND_LINE, mayChangeOperators } from '../../src/operators/actors.ts'
import { AccountOfOperator, NoSuchUser } from '../../src/operators/errors.ts'

declare module 'fastify' {
  interface FastifyInstance { dataExport: ReturnType<typeof createDataExport> }
}

const PAGE_SIZE = 1_000

/** A member of a JSON object whose rows come page by page. */
async function * writeList (name: string, pages: AsyncIterable<object[]>): AsyncGenerator<string> {
  yield `,\n${JSON.stringify(name)}: [`
  let separator = '\n'
  for await (const rows of pages) {
    if (rows.length === 0) continue
    yield separator + rows.map(row => JSON.stringify(row)).join(',\n')
    separator = ',\n'
  }
  yield '\n]'
}

/** Everything that is stored about a user, as JSON. */
function createDataExport ({ database, eventList, events, operators, ownData }: FastifyInstance) {
  async function * eventPages (userId: string): AsyncGenerator<object[]> {
    let cursor: string | undefined
    do {
      const { events, next } = await eventList.page({ userId }, PAGE_SIZE, cursor)
      // Not which operator it was.
      yield events.map(({ what, ip, userAgent, subject, by, at }) =>
        ({ what, ip, userAgent, subject, byOperator: by !== null, at }))
      cursor = next ?? undefined
    } while (cursor)
  }

  async function * write (userId: string, account: object): AsyncGenerator<string> {
    const members = Object.entries({ exportedAt: new Date(), ...account })
    yield `{\n${members.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n')}`
    yield * writeList('sessions', ownData.sessions(userId, PAGE_SIZE))
    yield * writeList('events', eventPages(userId))
    yield '\n}\n'
  }

  return {
    /** For the signed-in user. A stream, so that the memory does not grow with the number of events. */
    async begin (request: FastifyRequest): Promise<Readable> {
      const { userId } = request.user
      const account = await ownData.read(userId)
      if (!account) throw new Unauthorized()
      await events.record('data_exported', request, userId)
      return Readable.from(write(userId, account))
    },

    /** The same for an operator, which the owner sees in the list of events. */
    async beginFor (userId: string, by = COMMAND_LINE): Promise<Readable> {
      const account = await ownData.read(userId)
      if (!account) throw new NoSuchUser()
      const isOperator = await operators.has(userId) || await operators.isSuspended(userId)
      if (isOperator && !mayChangeOperators(by)) throw new AccountOfOperator()
      await events.recordByOperator('data_exported_by_operator', userId, database, by)
      return Readable.from(write(userId, account))
    },
  }
}

export default fp(async function (app) {
  app.decorate('dataExport', createDataExport(app))
}, { name: 'data-export', dependencies: ['database', 'event-list', 'events', 'operators', 'own-data'] })
