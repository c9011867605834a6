import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { InvalidCode, TooManyCodes } from '../../src/factors/errors.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { createUses } from '../../src/limits/uses.ts'
import { askedBySession } from '../records/accounts/mail-codes.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { mailProof: ReturnType<typeof createMailProof> }
}

/** A signed-in user who has nothing stronger proves their identity with a code that comes by mail. */
function createMailProof ({ config, counters, database, events, mail, mailCodes }: FastifyInstance) {
  const countMail = createUses(counters, {
    ...figuresOf(LIMITS.signInMails, config),
    refusal: seconds => new TooManyCodes(seconds),
  })

  return {
    /** Counted for the session, so that its thief does not use up what the owner needs to sign in. */
    async send ({ id: userId, email }: User, { user: { sid } }: FastifyRequest) {
      await mail.requireServer()
      // The mail would have no code, and there is no link for it.
      const seconds = await mailCodes.blockedFor(email, true)
      if (seconds) throw new TooManyCodes(seconds, 'Too many wrong codes. Sign in again, with the link of a mail.')
      await countMail(LIMITS.signInMails.key(email, sid))
      const askedBy = askedBySession('confirm', sid, email)
      await database.transact(async client => {
        await mailCodes.begin(client, { purpose: 'confirm', email, askedBy, known: true, userId })
        await mail.queue(client, { kind: 'confirm-identity', email, askedBy: askedBy.toString('base64url') })
      })
    },

    async confirm ({ id, email }: User, code: string, request: FastifyRequest) {
      const tried = await mailCodes.try(askedBySession('confirm', request.user.sid, email), 'confirm', code)
      if (tried?.isRight && tried.userId === id) return
      await events.record('second_factor_failed', request, id)
      throw new InvalidCode(403)
    },
  }
}

export default fp(async function (app) {
  app.decorate('mailProof', createMailProof(app))
}, { name: 'mail-proof', dependencies: ['counters', 'database', 'events', 'mail', 'mail-codes'] })
