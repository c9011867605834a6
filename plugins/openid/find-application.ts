import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isUuid } from '../../src/database/uuid.ts'
import { BoundedMap } from '../../src/openid/bounded-map.ts'
import { isDocumentUrl } from '../../src/openid/client-documents.ts'
import { COMMAND_LINE } from '../../src/openid/command-line.ts'
import type { ApplicationWithSecrets } from '../records/openid/applications.ts'

type FindApplication = ReturnType<typeof createFindApplication>

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The application with this client_id, however it came to be one. `request`: one in which an application with a
     * document is needed, outside of the provider.
     */
    findApplication: FindApplication
  }
}

/** Applications change rarely, and each request needs one. A removed one is refused after this time. */
const CACHE_MS = 1_000
const MAX_CACHED = 1_000

interface CachedApplication {
  application: Promise<ApplicationWithSecrets | undefined>
  /** In milliseconds since the start of the process. */
  until: number
}

function createFindApplication ({ applications, clientDocuments, config, selfRegistration }: FastifyInstance) {
  const cached = new BoundedMap<string, CachedApplication>(MAX_CACHED)

  async function read (id: string) {
    if (!isUuid(id)) return undefined
    const found = await applications.find(id)
    // The client_id of one with a document is the address of the document.
    if (found?.documentUrl) return undefined
    if (found?.registration) return selfRegistration.admit(found)
    if (found || id !== COMMAND_LINE.id || config.OPERATOR_PORT === undefined) return found
    await applications.addCommandLine()
    return applications.find(id)
  }

  return function findApplication (id: string, request?: FastifyRequest): Promise<ApplicationWithSecrets | undefined> {
    if (isDocumentUrl(id)) return clientDocuments.find(id, request)
    const now = performance.now()
    const known = cached.get(id)
    if (known && known.until > now) return known.application
    const application = read(id)
    application.catch(() => cached.delete(id))
    cached.set(id, { application, until: now + CACHE_MS })
    return application
  }
}

export default fp(async function (app) {
  app.decorate('findApplication', createFindApplication(app))
}, { name: 'find-application', dependencies: ['applications', 'client-documents', 'self-registration'] })
