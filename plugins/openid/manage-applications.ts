import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { isUuid } from '../../src/database/uuid.ts'
import { checkSettings, DEFAULT_SETTINGS, type ApplicationSettings } from '../../src/openid/application-rules.ts'
import { documentId, isDocumentUrl } from '../../src/openid/client-documents.ts'
import { RefusedApplication } from '../../src/openid/errors.ts'
import { COMMAND_LINE } from '../../src/openid/command-line.ts'
import type { ApplicationKind } from '../../src/openid/redirect-uris.ts'
import { COMMAND_LINE as BY_COMMAND_LINE } from '../../src/operators/actors.ts'
import { digest } from '../../src/secrets/digest.ts'
import { rulesOf } from '../../src/webhooks/address.ts'
import type { EventKind } from '../records/audit/events.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { manageApplications: ReturnType<typeof createManageApplications> }
}

type Change = (client: Queryable) => Promise<boolean>
type Wanted = { kind: ApplicationKind } & Pick<ApplicationSettings, 'name'> & Partial<ApplicationSettings>

/** It says what it is, and users are asked each time because an operator did not. */
const REGISTERED_ITSELF = 'It registered itself, and stays as it is. Add an application of your own instead.'

/** The id of the record, which is not the client_id for an application with a metadata document. */
const recordOf = (clientId: string) => isDocumentUrl(clientId) ? documentId(clientId) : clientId

const newSecret = () => randomBytes(32).toString('base64url')

/** Applications that sign users in with OpenID Connect, for the command line and the API of operators. */
function createManageApplications (app: FastifyInstance) {
  const { applicationGrants, applications, config, database, events, logoutEndpoints } = app
  const rules = { ...rulesOf(config), available: config.resources }

  /** Changes an application and records it, in one transaction. Returns false if `change` does. */
  async function recorded (what: EventKind, id: string, by: string, change: Change) {
    if (!isUuid(id)) return false
    return database.transact(async client => {
      const changed = await change(client)
      if (changed) await events.recordOfService(what, id, client, by)
      return changed
    })
  }

  const find = async (clientId: string) => {
    const id = recordOf(clientId)
    return isUuid(id) ? applications.findInUse(id) : undefined
  }

  return {
    list: applications.list,
    listRegistered: applications.listRegistered,

    find,

    /** Returns the secret, which is never shown again. A public application has none, nor one that has keys. */
    async add ({ kind, ...wanted }: Wanted, by = BY_COMMAND_LINE): Promise<{ id: string, secret?: string }> {
      const settings = checkSettings(kind, { ...DEFAULT_SETTINGS, ...wanted }, rules)
      const id = randomUUID()
      const secret = kind === 'public' || settings.keys.length > 0 ? undefined : newSecret()
      await recorded('application_added', id, by, async client => {
        await applications.add(client, { id, kind, ...settings })
        if (secret) await applications.addSecret(client, id, digest(secret))
        await logoutEndpoints.set(client, id, settings.backchannelLogoutUrl)
        return true
      })
      return { id, secret }
    },

    /** The kind stays. Returns false if there is no such application. */
    async change (id: string, wanted: Partial<ApplicationSettings>, by = BY_COMMAND_LINE): Promise<boolean> {
      // Its tokens are those of operators.
      if (id === COMMAND_LINE.id) throw new RefusedApplication('The command line of Gatehouse itself stays as it is.')
      const found = await find(id)
      if (!found) return false
      if (found.registration) throw new RefusedApplication(REGISTERED_ITSELF)
      const changed = checkSettings(found.kind, wanted, rules)
      return recorded('application_changed', id, by, async client => {
        if (!await applications.change(client, id, changed)) return false
        const { backchannelLogoutUrl: url } = changed
        if (url !== undefined) await logoutEndpoints.set(client, id, url)
        return true
      })
    },

    /** A new secret, or undefined if there is no such application. Both are accepted for a day. */
    async rotateSecret (id: string, by = BY_COMMAND_LINE): Promise<string | undefined> {
      const found = await find(id)
      if (found?.registration) throw new RefusedApplication(REGISTERED_ITSELF)
      if (found?.kind === 'public') throw new RefusedApplication('A public application has no secret.')
      if (found?.keys.length) throw new RefusedApplication('It has keys instead of a secret: remove them first.')
      const secret = newSecret()
      const rotated = await recorded('application_secret_rotated', id, by, client =>
        applications.rotateSecret(client, id, digest(secret)))
      return rotated ? secret : undefined
    },

    /** After a restore. Returns false if no such application is suspended. */
    confirm: (id: string, by = BY_COMMAND_LINE) =>
      recorded('application_changed', id, by, client => applications.confirm(client, id)),

    /** Ends what the application holds. Returns false if there is no such application. */
    async remove (clientId: string, by = BY_COMMAND_LINE): Promise<boolean> {
      const id = recordOf(clientId)
      return recorded('application_removed', id, by, async client => {
        await applicationGrants.endOfApplication(client, id)
        return applications.remove(client, id)
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('manageApplications', createManageApplications(app))
}, {
  name: 'manage-applications',
  dependencies: ['application-grants', 'applications', 'database', 'events', 'logout-endpoints'],
})
