import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import { documentId, readDocument, UNREADABLE } from '../../src/openid/client-documents.ts'
import { Refused } from '../../src/openid/errors.ts'
import type { SelfDescription } from '../../src/openid/self-description.ts'
import { visits } from '../../src/openid/visit.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { rulesOf } from '../../src/webhooks/address.ts'
import type { ApplicationWithSecrets } from '../records/openid/applications.ts'

declare module 'fastify' {
  interface FastifyInstance { clientDocuments: ReturnType<typeof createClientDocuments> }
}

class TooManyReads extends HttpError {
  constructor (seconds: number) {
    super(429, 'Too many new applications. Try again later.', 'Too many requests',
      { headers: { 'retry-after': seconds } })
  }
}

interface Read { described: Promise<SelfDescription>, until: number }

const HOUR = 3_600_000
/** A document is read again after this time. */
const MAX_AGE = HOUR
/** If it cannot be read then, the last one counts for as long. */
const MAX_AGE_IN_OUTAGE = 24 * HOUR
/** One that could not be read is not asked for again before. */
const FAILURE_MS = 60_000
const MAX_FAILURES = 1_000
/** Of those that no user has allowed yet. */
const MAX_WAITING = 1_000
/** From all addresses. */
const MAX_READS_AN_HOUR = 2_000
/** Where an application sends a browser, and where the browser returns to after the sign-in. */
const BEGINNING = ['authorization', 'pushed_authorization_request', 'resume']

const NOT_STORED = { registration: 'document' as const, createdAt: new Date(0), changedAt: new Date(0), secrets: [] }

const isOlder = ({ fetchedAt }: ApplicationWithSecrets, age: number) => Date.now() - Number(fetchedAt) > age

/** Applications that have a metadata document: its address is their client_id. */
function createClientDocuments (app: FastifyInstance) {
  const { applications, config, counters, log, registrations, selfRegistration } = app
  const { max, windowSeconds } = figuresOf(LIMITS.registrations, config)
  const privateAllowed = config.OPENID_DOCUMENTS_PRIVATE === 'allow'
  const rules = { ...rulesOf(config), privateAllowed, brand: config.BRAND_NAME }
  const reads = new Map<string, Read>()
  const waiting = new Map<string, ApplicationWithSecrets>()

  async function count ({ ip }: FastifyRequest) {
    const own = await counters.take(LIMITS.registrations.key(ip), windowSeconds * 1_000)
    if (own.count > max) throw new TooManyReads(Math.ceil(own.resetMs / 1_000))
    const all = await counters.take('document-reads', HOUR)
    if (all.count > MAX_READS_AN_HOUR) throw new TooManyReads(Math.ceil(all.resetMs / 1_000))
  }

  /** Under way, or failed a moment ago. */
  function recent (url: string): Read | undefined {
    const found = reads.get(url)
    return found && found.until > performance.now() ? found : undefined
  }

  function begin (url: string): Read {
    reads.delete(url)
    if (reads.size >= MAX_FAILURES) reads.delete(reads.keys().next().value ?? '')
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

  /** Anyone can name documents without end: they are stored when a user allows the application. */
  function keepWaiting (url: string, application: ApplicationWithSecrets) {
    waiting.delete(url)
    if (waiting.size >= MAX_WAITING) waiting.delete(waiting.keys().next().value ?? '')
    waiting.set(url, application)
    return application
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
    return await registrations.update(application) ? applications.find(id) : keepWaiting(url, application)
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
