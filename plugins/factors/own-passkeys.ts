import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Conflict, NotFound, Unauthorized } from '../../src/errors.ts'
import { isProtected } from '../../src/factors/methods.ts'
import { withSecondFactor } from '../../src/sessions/session.ts'
import type { Passkey } from '../records/factors/passkeys-store.ts'

declare module 'fastify' {
  interface FastifyInstance { ownPasskeys: ReturnType<typeof createOwnPasskeys> }
}

/** For each account. */
const MAX_PASSKEYS = 20

/** The fields that the API returns. */
function toPublic ({ id, credentialId, name, backedUp, createdAt, lastUsedAt }: Passkey) {
  return {
    id,
    credentialId,
    name,
    synced: backedUp,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}

/** The passkeys of the signed-in user. */
function createOwnPasskeys (app: FastifyInstance) {
  const { database, events, factorChanges, factors, passkeys, passkeysStore } = app
  const { recoveryCodesStore, replaceSession, users } = app

  return {
    /** `passkeyUserId` is what authenticators know the account by. */
    async overview (userId: string) {
      const [passkeys, handle] = [await passkeysStore.list(userId), await passkeysStore.existingHandleOf(userId)]
      return { passkeys: passkeys.map(toPublic), passkeyUserId: handle?.toString('base64url') ?? null }
    },

    async creationOptions (request: FastifyRequest, reply: FastifyReply) {
      const { userId } = request.user
      const [user, handle] = [await users.findById(userId), await passkeysStore.handleOf(userId)]
      if (!user || !handle) throw new Unauthorized()
      return passkeys.creationOptions(user, handle, await passkeysStore.list(userId), request, reply)
    },

    /** Also a second factor for this session, which is replaced. Undefined if the authenticator's answer is refused. */
    async add (request: FastifyRequest, response: RegistrationResponseJSON, name: string) {
      const { userId } = request.user
      const verified = await passkeys.verifyNew(userId, response, request)
      return verified && factorChanges.run(request, 'passkey_added', async client => {
        const added = await passkeysStore.add(client, userId, name, MAX_PASSKEYS, verified)
        if (!added) throw new Conflict('This passkey was added before, or there are too many.')
        const amr = withSecondFactor(request.user, 'hwk')
        return {
          passkey: toPublic(added),
          successor: await replaceSession.begin(client, request, request.user, amr),
        }
      })
    },

    async rename (request: FastifyRequest, id: string, name: string) {
      const { userId } = request.user
      return database.transact(async client => {
        const renamed = await passkeysStore.rename(client, userId, id, name)
        if (renamed) await events.record('passkey_renamed', request, userId, client)
        return renamed && toPublic(renamed)
      })
    },

    async remove (request: FastifyRequest, id: string) {
      const { userId } = request.user
      await factorChanges.run(request, 'passkey_removed', async client => {
        if (!await passkeysStore.remove(client, userId, id)) throw new NotFound()
        if (!isProtected(await factors.of(userId, client))) await recoveryCodesStore.removeAll(client, userId)
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('ownPasskeys', createOwnPasskeys(app))
}, {
  name: 'own-passkeys',
  dependencies: [
    'database', 'events', 'factor-changes', 'factors', 'passkeys', 'passkeys-store', 'recovery-codes-store',
    'replace-session', 'users',
  ],
})
