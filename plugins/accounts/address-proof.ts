import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { FactorChange } from '../../src/mail/values.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { User } from '../records/accounts/users.ts'
import type { EventKind } from '../records/audit/events.ts'

declare module 'fastify' {
  interface FastifyInstance { addressProof: ReturnType<typeof createAddressProof> }
}

type Removal = FactorChange & EventKind

/**
 * A link in a mail proves the address of an account. Before, with EMAIL_VERIFICATION=off, the account may be used by a
 * stranger who registered with the address of another person.
 */
function createAddressProof (app: FastifyInstance) {
  const { config, emailAddresses, events, factors, identities, mail, operators, sessionsStore } = app
  const { tokenCookies, tokens } = app
  const production = config.NODE_ENV === 'production'

  /** Also ends remembered browsers, and logins that are under way. Returns what there was. */
  async function removeWaysIn (client: Queryable, { id, factorsVersion }: User): Promise<Removal[]> {
    const { totp, passkeys } = await factors.of(id, client)
    await factors.removeAll(client, id)
    const linked = await identities.list(id, client)
    for (const { provider } of linked) await identities.unlink(client, id, provider)
    const removed: Removal[] = []
    if (totp) removed.push('totp_removed')
    if (passkeys > 0) removed.push('passkey_removed')
    if (linked.length > 0) removed.push('provider_removed')
    if (removed.length > 0 || factorsVersion > 0) await factors.beginChange(client, id)
    return removed
  }

  return {
    /**
     * The first proof removes everything but the password that can sign in, and ends every session.
     * `isSignedIn`: the link was opened by the user of the account, who keeps all that.
     */
    async accept (client: Queryable, request: FastifyRequest, userId: string, { isSignedIn = false } = {}) {
      const user = await emailAddresses.verify(client, userId)
      if (!user) return
      await events.record('email_verified', request, userId, client)
      if (isSignedIn) return
      await sessionsStore.revokeAll(client, userId, 'email_verified')
      if (await operators.remove(userId, client)) await events.record('operator_removed', request, userId, client)
      for (const change of await removeWaysIn(client, user)) {
        await events.record(change, request, userId, client)
        await mail.queue(client, { kind: 'factors-changed', email: user.email, change })
      }
    },

    /**
     * The id of the user who is signed in in this browser. In production, only by a cookie that no other host can set:
     * a planted session would make the address that of a stranger.
     */
    async signedInUser (request: FastifyRequest): Promise<string | undefined> {
      const isOurs = !production || tokenCookies.refresh(request).isPrefixed
      const session = isOurs ? tokens.refreshOf(request) : undefined
      return session && await sessionsStore.isLive(session.userId, session.sid) ? session.userId : undefined
    },
  }
}

export default fp(async function (app) {
  app.decorate('addressProof', createAddressProof(app))
}, {
  name: 'address-proof',
  dependencies: [
    'cookies', 'email-addresses', 'events', 'factors', 'identities', 'mail', 'operators', 'sessions-store', 'tokens',
  ],
})
