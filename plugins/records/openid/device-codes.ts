import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { digest } from '../../../src/secrets/digest.ts'
import type { Queryable } from '../../infrastructure/database.ts'
import { grantValues, startGrant, type NewGrant } from './application-grants.ts'

declare module 'fastify' {
  interface FastifyInstance { deviceCodes: ReturnType<typeof createDeviceCodes> }
}

interface DeviceCode {
  /** Names the row, where the code itself is not known: in the browser of the user. */
  reference: string
  payload: object
  consumed: boolean
}

interface PolledCode extends DeviceCode {
  /** Whether the device asked less than SECONDS_BETWEEN ago. */
  tooSoon: boolean
}

interface NewDeviceCode { value: string, userCode: string, payload: object, lifetime: number }

/** A device asks every five seconds. The network may bring two of its requests closer together. */
const SECONDS_BETWEEN = 4

const COLUMNS = 'encode(d.id, \'hex\') AS reference, d.payload, d.consumed_at IS NOT NULL AS consumed'

// If two sessions allow a code at once, the second finds it answered, and grants nothing.
const IS_OPEN = `EXISTS (
  SELECT FROM device_codes WHERE id = decode($1, 'hex') AND grant_id IS NULL AND expires_at > now() FOR UPDATE)`

const ALLOW = `
  WITH granted AS (${startGrant(3, IS_OPEN)})
  UPDATE device_codes SET payload = $2, grant_id = granted.id FROM granted WHERE device_codes.id = decode($1, 'hex')`

/** Sign-ins on other devices, by the codes of the device and of the user, which are not stored. */
function createDeviceCodes ({ database }: FastifyInstance) {
  const findBy = async (column: 'id' | 'user_code', value: Buffer): Promise<DeviceCode | undefined> =>
    (await database.query<DeviceCode>(`SELECT ${COLUMNS} FROM device_codes d WHERE ${column} = $1`, [value])).rows[0]

  return {
    async add ({ value, userCode, payload, lifetime }: NewDeviceCode) {
      await database.query(`
        INSERT INTO device_codes (id, user_code, payload, expires_at)
        VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
      [digest(value), digest(userCode), payload, lifetime])
    },

    findByUserCode: (userCode: string) => findBy('user_code', digest(userCode)),

    find: (reference: string) => findBy('id', Buffer.from(reference, 'hex')),

    /** For the device, which asks again and again. */
    async poll (value: string): Promise<PolledCode | undefined> {
      const { rows } = await database.query<PolledCode>(`
        UPDATE device_codes d SET polled_at = now()
        FROM (SELECT id, polled_at FROM device_codes WHERE id = $1 FOR UPDATE) before
        WHERE d.id = before.id
        RETURNING ${COLUMNS},
          coalesce(before.polled_at > now() - make_interval(secs => ${SECONDS_BETWEEN}), false) AS "tooSoon"`,
      [digest(value)])
      return rows[0]
    },

    /** What the user has decided so far. Allowing it is `allow`. */
    async save (reference: string, payload: object) {
      await database.query(`
        UPDATE device_codes SET payload = $2 WHERE id = decode($1, 'hex') AND grant_id IS NULL`, [reference, payload])
    },

    /** Returns false if the session has ended, or the code was answered before. */
    async allow (client: Queryable, reference: string, payload: object, grant: NewGrant): Promise<boolean> {
      const { rowCount } = await client.query(ALLOW, [reference, payload, ...grantValues(grant)])
      return rowCount === 1
    },

    /** Returns false if it was consumed before. Atomic: only one concurrent caller succeeds. */
    async consume (client: Queryable, value: string): Promise<boolean> {
      const { rowCount } = await client.query(
        'UPDATE device_codes SET consumed_at = now() WHERE id = $1 AND consumed_at IS NULL', [digest(value)])
      return rowCount === 1
    },
  }
}

export default fp(async function (app) {
  app.decorate('deviceCodes', createDeviceCodes(app))
}, { name: 'device-codes', dependencies: ['database'] })
