import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { Unauthorized } from '../../src/errors.ts'
import { clientMetadata } from '../../src/openid/client-metadata.ts'
import { EMPTY_ADAPTER } from '../../src/openid/empty-adapter.ts'
import { Refused } from '../../src/openid/errors.ts'
import { MACHINE_TOKEN } from '../../src/openid/provider-settings.ts'
import { rememberGrant, visits } from '../../src/openid/visit.ts'
import type { NewGrant } from '../records/openid/application-grants.ts'

declare module 'fastify' {
  interface FastifyInstance { openidStorage: ReturnType<typeof createOpenidStorage> }
}

/** The length of a pushed request, in characters. Servers accept no longer URL, either. */
const MAX_PUSHED = 16_000

/** Keeps what the provider needs in PostgreSQL. The values of tokens and codes are not stored. */
function createOpenidStorage (app: FastifyInstance) {
  const { deviceCodeStorage, endpointLimits, findApplication, grantStorage, openidArtifacts: artifacts } = app
  const { selfRegistration, visitChanges: { later } } = app

  /** Codes, access tokens, pushed requests and interactions: rows that only have a value and an expiry. */
  function artifact (kind: string): Adapter {
    return {
      ...EMPTY_ADAPTER,

      async upsert (value, { jti, ...payload }, lifetime = 0) {
        // The grant of an interaction begins later, if at all.
        const grantId = kind === 'Interaction' ? undefined : payload.grantId
        await artifacts.save(kind, value, { payload, lifetime, grantId })
      },

      async find (value) {
        const found = await artifacts.find(kind, value)
        if (found?.grantId) rememberGrant({ ...found, grantId: found.grantId })
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
      await endpointLimits.takePublicRequest()
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

  const client: Adapter = {
    ...EMPTY_ADAPTER,

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

  /** Tokens for a resource that introspects each of them. Others are not stored. */
  const machineToken: Adapter = {
    ...artifact('ClientCredentials'),

    // Otherwise each introspection would query for a token of a machine.
    find: async value => value.startsWith(MACHINE_TOKEN) ? artifact('ClientCredentials').find(value) : undefined,
  }

  /** Only the state of a sign-out that was begun: who is signed in is decided by the session of the service. */
  const session: Adapter = {
    ...artifact('Session'),

    async upsert (id, { state, uid, kind }, lifetime = 0) {
      if (state) await artifacts.save('Session', id, { payload: { state, uid, kind }, lifetime })
    },

    // The route ends the session next. If that fails, the user can confirm once more.
    destroy: EMPTY_ADAPTER.destroy,
  }

  const own: Record<string, Adapter> = {
    AuthorizationCode: code,
    Client: client,
    ClientCredentials: machineToken,
    DeviceCode: deviceCodeStorage,
    Grant: grantStorage.grant,
    PushedAuthorizationRequest: pushed,
    RefreshToken: grantStorage.refreshToken,
    Session: session,
  }

  return {
    /** What the provider calls for each of its models. */
    adapter: (model: string): Adapter => own[model] ?? artifact(model),

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
    'device-code-storage', 'endpoint-limits', 'find-application', 'grant-storage', 'openid-artifacts',
    'self-registration', 'visit-changes',
  ],
})
