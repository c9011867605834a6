import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { Unauthorized } from '../../src/errors.ts'
import { EMPTY_ADAPTER } from '../../src/openid/empty-adapter.ts'
import { Refused } from '../../src/openid/errors.ts'
import { visits } from '../../src/openid/visit.ts'
import type { NewGrant } from '../records/openid/application-grants.ts'

declare module 'fastify' {
  interface FastifyInstance { deviceCodeStorage: Adapter }
}

interface Payload { jti: string, userCode?: string, accountId?: string, grantId?: string, error?: string }

/** The length of the request of a device, in characters. Devices need not authenticate. */
const MAX_LENGTH = 4_000

/** In the browser of the user, this and the id of the row stand for the code of the device, which is not stored. */
const REFERENCE = 'reference:'

const referenceIn = (value: string): string | undefined =>
  value.startsWith(REFERENCE) && visits.getStore()?.session ? value.slice(REFERENCE.length) : undefined

const asPayload = (value: string, { payload, consumed }: { payload: object, consumed: boolean }) =>
  ({ ...payload, jti: value, ...consumed && { consumed: true } }) as AdapterPayload

/** Keeps the sign-ins on other devices in PostgreSQL. */
function createDeviceCodeStorage (app: FastifyInstance): Adapter {
  const { deviceCodes, endpointLimits, visitChanges: { later } } = app

  /** The device asks. */
  async function poll (value: string) {
    const found = await deviceCodes.poll(value)
    const { accountId, error } = (found?.payload ?? {}) as Payload
    if (found?.tooSoon && !accountId && !error) throw new Refused('slow_down', 'ask every five seconds')
    return found && asPayload(value, found)
  }

  /** The user decides, in a browser. */
  async function decide (reference: string, payload: Omit<Payload, 'jti'>) {
    if (!payload.grantId) {
      // After an outage, the user can answer once more.
      if (payload.error !== 'server_error') await deviceCodes.save(reference, payload)
      return
    }
    const grant = visits.getStore()?.grant as NewGrant | undefined
    if (!grant || grant.id !== payload.grantId) throw new Unauthorized()
    await later(async client => {
      if (!await deviceCodes.allow(client, reference, payload, grant)) throw new Unauthorized()
    })
  }

  return {
    ...EMPTY_ADAPTER,

    async upsert (value, { jti, ...payload }, lifetime = 0) {
      const reference = referenceIn(value)
      if (reference) return decide(reference, payload)
      if (JSON.stringify(payload).length > MAX_LENGTH) throw new Refused('invalid_request', 'the request is too long')
      await endpointLimits.takePublicRequest()
      await deviceCodes.add({ value, userCode: payload.userCode ?? '', payload, lifetime })
    },

    async find (value) {
      const reference = referenceIn(value)
      if (!reference) return poll(value)
      const found = await deviceCodes.find(reference)
      return found && asPayload(value, found)
    },

    async findByUserCode (userCode) {
      const found = await deviceCodes.findByUserCode(userCode)
      return found && asPayload(REFERENCE + found.reference, found)
    },

    consume: value => later(async client => {
      if (!await deviceCodes.consume(client, value)) throw new Refused('invalid_grant', 'it has been used')
    }),
  }
}

export default fp(async function (app) {
  app.decorate('deviceCodeStorage', createDeviceCodeStorage(app))
}, { name: 'device-code-storage', dependencies: ['device-codes', 'endpoint-limits', 'visit-changes'] })
