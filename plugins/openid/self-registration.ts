import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { TooManyRequests } from '../../src/errors.ts'
import { createUses } from '../../src/limits/uses.ts'
import type { Registration, SelfDescription } from '../../src/openid/self-description.ts'
import { digest } from '../../src/secrets/digest.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { ApplicationWithSecrets } from '../records/openid/applications.ts'

declare module 'fastify' {
  interface FastifyInstance { selfRegistration: ReturnType<typeof createSelfRegistration> }
}

/** Without `seconds`: places are free again when the purge removes those that are no longer used. */
const refusal = (seconds = 3_600) =>
  new TooManyRequests('Too many applications have registered themselves. Try again later.', seconds)

/** By one account in a day: it must not take the places of all others. */
export const MAX_ALLOWED = 100
const DAY = 24 * 3_600

const ACCEPTED: Record<string, Registration[]> = { off: [], documents: ['document'], open: ['document', 'dynamic'] }

/** Applications that register themselves, as OPENID_REGISTRATION allows. */
function createSelfRegistration ({ config, counters, registrations }: FastifyInstance) {
  const accepted = ACCEPTED[config.OPENID_REGISTRATION] ?? []
  const countAllowed = createUses(counters, { max: MAX_ALLOWED, windowSeconds: DAY, refusal })
  const open = config.resources.filter(resource => resource.open === 'on').map(({ uri }) => uri)

  return {
    accepts: (registration: Registration) => accepted.includes(registration),

    /** With the resources that are open to it. Undefined if it is not accepted, or not any more. */
    admit (application: ApplicationWithSecrets | undefined): ApplicationWithSecrets | undefined {
      if (!application?.registration) return application
      return accepted.includes(application.registration) ? { ...application, resources: open } : undefined
    },

    /** Throws a 429 if there are too many. */
    async add (id: string, described: SelfDescription, secret: string | undefined) {
      const registration = { ...described, id, secret: secret ? digest(secret) : undefined }
      if (!await registrations.add(registration)) throw refusal()
    },

    /** Before a user allows one. Throws a 429 if there were too many. */
    countAllowed: (userId: string) => countAllowed(`allowed-applications:${userId}`),

    /** By a user. Throws a 429 if there are too many. */
    async markAllowed (client: Queryable, application: ApplicationWithSecrets) {
      if (!await registrations.markAllowed(client, application)) throw refusal()
    },
  }
}

export default fp(async function (app) {
  app.decorate('selfRegistration', createSelfRegistration(app))
}, { name: 'self-registration', dependencies: ['counters', 'registrations'] })
