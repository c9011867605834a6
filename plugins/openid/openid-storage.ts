import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { Unauthorized } from '../../src/errors.ts'
import { isDocumentUrl } from '../../src/openid/client-documents.ts'
import { clientMetadata } from '../../src/openid/client-metadata.ts'
import { COMMAND_LINE } from '../../src/openid/command-line.ts'
import { MACHINE_TOKEN } from '../../src/openid/provider-settings.ts'
import { Refused } from '../../src/openid/errors.ts'
import { createRefreshValues } from '../../src/openid/refresh-values.ts'
import { visits, type Visit } from '../../src/openid/visit.ts'
import { digest } from '../../src/secrets/digest.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { Grant, NewGrant } from '../records/openid/application-grants.ts'
import type { ApplicationWithSecrets } from '../records/openid/applications.ts'

declare module 'fastify' {
  interface FastifyInstance { openidStorage: ReturnType<typeof createOpenidStorage> }
}

const DAY = 24 * 60 * 60
/** Of an application with offline access, from its last refresh on. */
const OFFLINE_LIFETIME = 30 * DAY
/** Applications change rarely, and each request needs one. A removed one is refused after this time. */
const APPLICATION_CACHE_MS = 1_000
const MAX_CACHED = 1_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Of a pushed request, in characters. Servers accept no longer URL, either. */
const MAX_PUSHED = 16_000

type Change = (client: Queryable) => Promise<void>

interface CachedApplication {
  application: Promise<ApplicationWithSecrets | undefined>
  /** In milliseconds since the start of the process. */
  until: number
}

type OwnVisit = Visit<unknown, NewGrant, Queryable, unknown, Grant>

interface RefreshPayload { grantId?: string, rotations?: number, scope?: string }

const unused = async () => {}
const NOTHING: Adapter = {
  upsert: unused,
  find: unused,
  findByUid: unused,
  findByUserCode: unused,
  consume: unused,
  destroy: unused,
  revokeByGrantId: unused,
}

/** Keeps what the provider needs in PostgreSQL. The values of tokens and codes are not stored. */
function createOpenidStorage (app: FastifyInstance) {
  const {
    applicationGrants: grants, applications, config, database, deviceCodeStorage, openidArtifacts: artifacts,
    clientDocuments, publicRequests, selfRegistration,
  } = app
  const refreshValues = createRefreshValues(config)
  const cached = new Map<string, CachedApplication>()

  async function find (id: string) {
    if (!UUID.test(id)) return undefined
    const found = await applications.find(id)
    // The client_id of one with a document is the address of the document.
    if (found?.documentUrl) return undefined
    if (found?.registration) return selfRegistration.admit(found)
    if (found || id !== COMMAND_LINE.id || config.OPERATOR_PORT === undefined) return found
    await applications.addCommandLine()
    return applications.find(id)
  }

  /** `request`: one in which an application with a document is needed, outside of the provider. */
  function findApplication (id: string, request?: FastifyRequest): Promise<ApplicationWithSecrets | undefined> {
    if (isDocumentUrl(id)) return clientDocuments.find(id, request)
    const now = performance.now()
    const known = cached.get(id)
    if (known && known.until > now) return known.application
    // Of requests with many unknown ids, only the ids are forgotten: what is in use is among the latest.
    cached.delete(id)
    if (cached.size >= MAX_CACHED) cached.delete(cached.keys().next().value ?? '')
    const application = find(id)
    application.catch(() => cached.delete(id))
    cached.set(id, { application, until: now + APPLICATION_CACHE_MS })
    return application
  }

  /** The provider asks for the grant of a token, and for its account, right after the token: they are one row. */
  function remember (found: Grant) {
    const visit = visits.getStore()
    if (visit) visit.found = found
  }

  /** Together with the other changes of the response: what PostgreSQL did not get can be sent again. */
  async function later (change: Change) {
    const visit = visits.getStore() as OwnVisit | undefined
    if (visit) visit.changes.push(change)
    else await change(database)
  }

  /** A single change is a single statement. */
  async function apply (changes: Change[]) {
    if (changes.length < 2) return changes[0]?.(database)
    await database.transact(async client => { for (const change of changes) await change(client) })
  }

  /** Codes, access tokens, pushed requests and interactions: rows that only have a value and an expiry. */
  function artifact (kind: string): Adapter {
    return {
      ...NOTHING,

      async upsert (value, { jti, ...payload }, lifetime = 0) {
        // That of an interaction begins later, if at all.
        const grantId = kind === 'Interaction' ? undefined : payload.grantId
        await artifacts.save(kind, value, { payload, lifetime, grantId })
      },

      async find (value) {
        const found = await artifacts.find(kind, value)
        if (found?.grantId) remember({ ...found, grantId: found.grantId })
        return found && { ...found.payload, jti: value, ...found.consumed && { consumed: true } } as AdapterPayload
      },

      consume: value => later(async client => {
        // A request at the same time has consumed it.
        if (!await artifacts.consume(client, kind, value)) {
          throw new Refused(kind === 'AuthorizationCode' ? 'invalid_grant' : 'invalid_request_uri', 'it has been used')
        }
      }),

      destroy: value => later(client => artifacts.remove(client, kind, value)),
    }
  }

  const pushed: Adapter = {
    ...artifact('PushedAuthorizationRequest'),

    async upsert (value, payload, lifetime) {
      if (String(payload.request).length > MAX_PUSHED) throw new Refused('invalid_request', 'the request is too long')
      await publicRequests.count()
      await artifact('PushedAuthorizationRequest').upsert(value, payload, lifetime as number)
    },
  }

  const code: Adapter = {
    ...artifact('AuthorizationCode'),

    /** The grant begins with its code, in one statement. */
    async upsert (value, { jti, ...payload }, lifetime = 0) {
      const grant = visits.getStore()?.grant as NewGrant | undefined
      if (!grant || grant.id !== payload.grantId) throw new Unauthorized()
      await later(async client => {
        const granted = await artifacts.saveWithGrant(client, 'AuthorizationCode', value, { payload, lifetime }, grant)
        if (!granted) throw new Unauthorized()
      })
    },
  }

  const grant: Adapter = {
    ...NOTHING,

    async find (id) {
      const known = (visits.getStore() as OwnVisit | undefined)?.found
      const found = known?.grantId === id ? known : UUID.test(id) ? await grants.find(id) : undefined
      if (!found) return undefined
      const { allowed, applicationId, expiresAt, userId } = found
      return { clientId: applicationId, ...allowed, jti: id, accountId: userId, exp: expiresAt, kind: 'Grant' }
    },

    destroy: id => grants.end(database, id, 'ended_by_application'),
  }

  /** The tokens of a grant differ only by their generation, which the provider counts as `rotations`. */
  const refreshToken: Adapter = {
    ...NOTHING,

    async upsert (_value, { jti, ...payload }) {
      const { grantId = '', rotations = 0, scope = '' } = payload as RefreshPayload
      if (rotations > 0) return grants.rotate(grantId, rotations, payload, OFFLINE_LIFETIME)
      const expiresAt = Math.floor(Date.now() / 1_000) + Math.min(OFFLINE_LIFETIME, config.SESSION_MAX_AGE * DAY)
      const offline = { id: randomUUID(), token: digest(randomBytes(32).toString('hex')), expiresAt }
      const isOffline = scope.split(' ').includes('offline_access')
      return later(client => grants.startRefresh(client, grantId, payload, isOffline ? offline : undefined))
    },

    async find (value) {
      const reference = refreshValues.read(value)
      const found = reference && await grants.findRefresh(reference.grantId)
      // A generation that is not there yet is from before a restore of the database.
      if (!found || reference.generation > found.generation) return undefined
      remember(found)
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

  const client: Adapter = {
    ...NOTHING,

    async find (id) {
      const application = await findApplication(id)
      if (!application) return undefined
      visits.getStore()?.applications.set(id, application)
      return clientMetadata(application)
    },

    /** It registers itself. */
    async upsert (id, { client_secret: secret }) {
      const described = visits.getStore()?.registration
      if (!described) throw new Unauthorized()
      await selfRegistration.add(id, described, secret as string | undefined)
    },
  }

  /** Those for a resource that asks for each token. Others are not stored. */
  const machineToken: Adapter = {
    ...artifact('ClientCredentials'),

    // Otherwise each introspection would look for one.
    find: async value => value.startsWith(MACHINE_TOKEN) ? artifact('ClientCredentials').find(value) : undefined,
  }

  /** Only the state of a sign-out that was begun: who is signed in is decided by the session of the service. */
  const session: Adapter = {
    ...artifact('Session'),

    async upsert (id, { state, uid, kind }, lifetime = 0) {
      if (state) await artifacts.save('Session', id, { payload: { state, uid, kind }, lifetime })
    },

    // The route ends the session next. If that fails, the user can confirm once more.
    destroy: unused,
  }

  const own: Record<string, Adapter> = {
    AuthorizationCode: code,
    Client: client,
    ClientCredentials: machineToken,
    DeviceCode: { ...NOTHING, ...deviceCodeStorage.adapter(later) },
    Grant: grant,
    PushedAuthorizationRequest: pushed,
    RefreshToken: refreshToken,
    Session: session,
  }

  return {
    /** What the provider calls for each of its models. */
    adapter: (model: string): Adapter => own[model] ?? artifact(model),
    apply,
    findApplication,
    refreshValues,

    /**
     * Returns false if a proof with this id was used before. One from a clock that is ahead is valid for up to twice as
     * long as the provider takes it to be.
     */
    isFirstUse: (issuer: string, id: string, lifetime: number) =>
      artifacts.saveNew('Proof', `${issuer} ${id}`, 2 * lifetime),
  }
}

export default fp(async function (app) {
  app.decorate('openidStorage', createOpenidStorage(app))
}, {
  name: 'openid-storage',
  dependencies: [
    'application-grants', 'applications', 'client-documents', 'database', 'device-code-storage', 'openid-artifacts',
    'public-requests', 'self-registration',
  ],
})
