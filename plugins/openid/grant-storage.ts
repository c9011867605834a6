import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { isUuid } from '../../src/database/uuid.ts'
import { EMPTY_ADAPTER } from '../../src/openid/empty-adapter.ts'
import { createRefreshValues } from '../../src/openid/refresh-values.ts'
import { rememberGrant, visits } from '../../src/openid/visit.ts'
import { digest } from '../../src/secrets/digest.ts'
import type { Visit } from './openid.ts'

declare module 'fastify' {
  interface FastifyInstance { grantStorage: ReturnType<typeof createGrantStorage> }
}

const DAY = 24 * 60 * 60
/** How long an application with offline access stays signed in after its last refresh. */
export const OFFLINE_LIFETIME = 30 * DAY

interface RefreshPayload { grantId?: string, rotations?: number, scope?: string }

/** Keeps grants and their refresh tokens in PostgreSQL. */
function createGrantStorage (app: FastifyInstance) {
  const {
    applicationGrants: grants, applicationRefreshes: refreshes, config, database, visitChanges: { later },
  } = app
  const refreshValues = createRefreshValues(config)

  const grant: Adapter = {
    ...EMPTY_ADAPTER,

    async find (id) {
      const known = (visits.getStore() as Visit | undefined)?.found
      const found = known?.grantId === id ? known : isUuid(id) ? await grants.find(id) : undefined
      if (!found) return undefined
      const { allowed, applicationId, expiresAt, userId } = found
      return { clientId: applicationId, ...allowed, jti: id, accountId: userId, exp: expiresAt, kind: 'Grant' }
    },

    destroy: id => grants.end(database, id, 'ended_by_application'),
  }

  /** The tokens of a grant differ only by their generation, which the provider counts as `rotations`. */
  const refreshToken: Adapter = {
    ...EMPTY_ADAPTER,

    async upsert (_value, { jti, ...payload }) {
      const { grantId = '', rotations = 0, scope = '' } = payload as RefreshPayload
      if (rotations > 0) return refreshes.rotate(grantId, rotations, payload, OFFLINE_LIFETIME)
      const expiresAt = Math.floor(Date.now() / 1_000) + Math.min(OFFLINE_LIFETIME, config.SESSION_MAX_AGE * DAY)
      const offline = { id: randomUUID(), token: digest(randomBytes(32).toString('hex')), expiresAt }
      const isOffline = scope.split(' ').includes('offline_access')
      return later(client => refreshes.start(client, grantId, payload, isOffline ? offline : undefined))
    },

    async find (value) {
      const reference = refreshValues.read(value)
      const found = reference && await refreshes.find(reference.grantId)
      // A generation that is not there yet is from before a restore of the database.
      if (!found || reference.generation > found.generation) return undefined
      rememberGrant(found)
      const behind = found.generation - reference.generation
      const isUsed = behind > 1 || (behind === 1 && !found.inGrace)
      return {
        ...found.refresh,
        jti: value,
        exp: found.expiresAt,
        rotations: reference.generation,
        ...isUsed && { consumed: true },
      } as AdapterPayload
    },

    revokeByGrantId: id => grants.end(database, id, 'ended_by_application'),
    destroy: async value => {
      const reference = refreshValues.read(value)
      if (reference) await grants.end(database, reference.grantId, 'ended_by_application')
    },
  }

  return { grant, refreshToken, refreshValues }
}

export default fp(async function (app) {
  app.decorate('grantStorage', createGrantStorage(app))
}, {
  name: 'grant-storage',
  dependencies: ['application-grants', 'application-refreshes', 'database', 'visit-changes'],
})
