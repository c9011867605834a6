import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import type { Registration, SelfDescription } from '../../src/openid/self-description.ts'
import { digest } from '../../src/secrets/digest.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { ApplicationWithSecrets } from '../records/openid/applications.ts'

declare module 'fastify' {
  interface FastifyInstance { selfRegistration: ReturnType<typeof createSelfRegistration> }
}

/** Places are free again when the purge removes those that are no longer used. */
export class TooManyRegistrations extends HttpError {
  constructor (seconds = 3_600) {
    super(429, 'Too many applications have registered themselves. Try again later.', 'Too many requests',
      { headers: { 'retry-after': seconds } })
  }
}

/** By one account in a day: it must not take the places of all others. */
export const MAX_ALLOWED = 100
const DAY = 24 * 3_600_000

const ACCEPTED: Record<string, Registration[]> = { off: [], documents: ['document'], open: ['document', 'dynamic'] }

/** Applications that register themselves, as OPENID_REGISTRATION allows. */
function createSelfRegistration ({ config, counters, registrations }: FastifyInstance) {
  const accepted = ACCEPTED[config.OPENID_REGISTRATION] ?? []
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
      if (!await registrations.add(registration)) throw new TooManyRegistrations()
    },

    /** Before a user allows one. Throws a 429 if there were too many. */
    async countAllowed (userId: string) {
      const { count, resetMs } = await counters.take(`allowed-applications:${userId}`, DAY)
      if (count > MAX_ALLOWED) throw new TooManyRegistrations(Math.ceil(resetMs / 1_000))
    },

    /** By a user. Throws a 429 if there are too many. */
    async markAllowed (client: Queryable, application: ApplicationWithSecrets) {
      if (!await registrations.markAllowed(client, application)) throw new TooManyRegistrations()
    },
  }
}

export default fp(async function (app) {
  app.decorate('selfRegistration', createSelfRegistration(app))
}, { name: 'self-registration', dependencies: ['counters', 'registrations'] })
