import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readCursor, writeCursor } from '../../../src/operators/list-parameters.ts'
import { DELIVERY_COLUMNS, type Delivery } from './deliveries.ts'

declare module 'fastify' {
  interface FastifyInstance { deliveryList: ReturnType<typeof createDeliveryList> }
}

type Status = Delivery['status']
interface DeliveryPage { status?: Status, limit: number, cursor?: string }

const LAST_ID = '9223372036854775807'

/** Only the condition that is asked for, so that the query uses the index for it. */
export const deliveryQuery = (status?: Status) => `
  SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries d
  WHERE webhook_id = $1 AND id < $2 ${status ? 'AND status = $4' : ''}
  ORDER BY id DESC LIMIT $3`

/** What was sent to an endpoint, and what it answered. */
function createDeliveryList ({ database }: FastifyInstance) {
  return {
    /** The newest first. */
    async page (webhookId: string, { status, limit, cursor }: DeliveryPage) {
      const { id } = cursor ? readCursor(cursor, key => key === 'delivery') : { id: LAST_ID }
      const { rows } = await database.query<Delivery>(
        deliveryQuery(status), [webhookId, id, limit + 1, ...status ? [status] : []])
      const last = rows[limit - 1]
      return {
        deliveries: rows.slice(0, limit),
        next: rows.length > limit && last ? writeCursor({ key: 'delivery', id: last.id }) : null,
      }
    },

    async find (id: string): Promise<Delivery | undefined> {
      const { rows } = await database.query<Delivery>(
        `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries d WHERE id = $1`, [id])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('deliveryList', createDeliveryList(app))
}, { name: 'delivery-list', dependencies: ['database'] })
