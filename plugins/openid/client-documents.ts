import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError, TooManyRequests } from '../../src/errors.ts'
import { BoundedMap } from '../../src/openid/bounded-map.ts'
import { documentId, readDocument, UNREADABLE } from '../../src/openid/client-documents.ts'
import { Refused } from '../../src/openid/errors.ts'
import type { SelfDescription } from '../../src/openid/self-description.ts'
import { visits } from '../../src/openid/visit.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { createUses } from '../../src/limits/uses.ts'
import { rulesOf } from '../../src/webhooks/address.ts'
import type { ApplicationWithSecrets } from '../records/openid/applications.ts'

declare module 'fastify' {
  interface FastifyInstance { clientDocuments: ReturnType<typeof createClientDocuments> }
}

interface Read { described: Promise<SelfDescription>, until: number }

const HOUR = 3_600_000
/** A document is read again after this time. */
const MAX_AGE = HOUR
/** While a document cannot be read, what it said before is used for this long. */
const MAX_AGE_IN_OUTAGE = 24 * HOUR
/** After a failure, a document is not requested again before this time has passed. */
const FAILURE_MS = 60_000
const MAX_FAILURES = 1_000
/** Applications that no user has allowed yet. */
const MAX_WAITING = 1_000
/** For all client addresses together. */
const MAX_READS_AN_HOUR = 2_000
/** Where an application sends a browser, and where the browser returns to after the sign-in. */
const BEGINNING = ['authorization', 'pushed_authorization_request', 'resume']

const NOT_STORED = { registration: 'document' as const, createdAt: new Date(0), changedAt: new Date(0), secrets: [] }

const isOlder = ({ fetchedAt }: ApplicationWithSecrets, age: number) => Date.now() - Number(fetchedAt) > age

/** Applications that have a metadata document: its address is their client_id. */
function createClientDocuments (app: FastifyInstance) {
  const { applications, config, counters, log, registrations, selfRegistration } = app
  const refusal = (seconds: number) => new TooManyRequests('Too many new applications. Try again later.', seconds)
  const countOfAddress = createUses(counters, { ...figuresOf(LIMITS.registrations, config), refusal })
  const countOfAll = createUses(counters, { max: MAX_READS_AN_HOUR, windowSeconds: HOUR / 1_000, refusal })
  const privateAllowed = config.OPENID_DOCUMENTS_PRIVATE === 'allow'
  const rules = { ...rulesOf(config), privateAllowed, brand: config.BRAND_NAME }
  const reads = new BoundedMap<string, Read>(MAX_FAILURES)
  const waiting = new BoundedMap<string, ApplicationWithSecrets>(MAX_WAITING)

  async function count ({ ip }: FastifyRequest) {
    await countOfAddress(LIMITS.registrations.key(ip))
    await countOfAll('document-reads')
  }

  /** Under way, or failed a moment ago. */
  function recent (url: string): Read | undefined {
    const found = reads.get(url)
    return found && found.until > performance.now() ? found : undefined
  }

  function begin (url: string): Read {
    const read = { described: readDocument(url, rules), until: Infinity }
    reads.set(url, read)
    read.described.then(() => reads.delete(url), (error: Error) => {
      read.until = performance.now() + FAILURE_MS
      log.warn({ url, reason: String(error.cause ?? error) }, 'the metadata document of an application is refused')
    })
    return read
  }

  async function readOnce (url: string, request: FastifyRequest): Promise<SelfDescription> {
    const found = recent(url)
    if (found) return found.described
    await count(request)
    return (recent(url) ?? begin(url)).described
  }

  /** Reads the document and keeps what it says. If it cannot be read now, what it said before counts. */
  async function refresh (url: string, known: ApplicationWithSecrets | undefined, request: FastifyRequest) {
    const id = documentId(url)
    const described = await readOnce(url, request).catch(error => {
      if (error instanceof Refused) throw error
      if (known && !isOlder(known, MAX_AGE_IN_OUTAGE)) return undefined
      throw error instanceof HttpError ? error : new Refused('invalid_client', UNREADABLE)
    })
    if (!described) return known
    const application = { ...NOT_STORED, ...described, id, documentUrl: url, fetchedAt: new Date() }
    if (await registrations.update(application)) return applications.find(id)
    // It is stored when a user allows the application.
    waiting.set(url, application)
    return application
  }

  return {
    /**
     * Undefined if there is none, or such applications are not accepted. A document is read where a sign-in begins and
     * the user is asked; after that, only to see the keys of an application that authenticates with them.
     */
    async find (url: string, asking?: FastifyRequest): Promise<ApplicationWithSecrets | undefined> {
      if (!selfRegistration.accepts('document')) return undefined
      const known = await applications.find(documentId(url)) ?? waiting.get(url)
      const { ctx, request = asking } = visits.getStore() ?? {}
      const isBeginning = asking !== undefined || BEGINNING.includes(ctx?.oidc.route ?? '')
      const isNeeded = isBeginning || (known && known.keys.length > 0)
      const isFresh = known && !isOlder(known, MAX_AGE)
      return selfRegistration.admit(isFresh || !isNeeded || !request ? known : await refresh(url, known, request))
    },
  }
}

export default fp(async function (app) {
  app.decorate('clientDocuments', createClientDocuments(app))
}, {
  name: 'client-documents',
  dependencies: ['applications', 'counters', 'registrations', 'self-registration'],
})
