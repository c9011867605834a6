import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { decodeJwt } from 'jose'
import type { Interaction, InteractionResults } from 'oidc-provider'
import { NotFound, Unauthorized } from '../../src/errors.ts'
import { applicationHost } from '../../src/openid/application-host.ts'
import { COOKIES, levelOf } from '../../src/openid/provider-settings.ts'
import { describeScopes, requestedScopes } from '../../src/openid/scopes.ts'
import { languageOf } from '../../src/site/language.ts'
import type { BrowserSession } from '../records/openid/browser-sessions.ts'

declare module 'fastify' {
  interface FastifyInstance { openidInteractions: ReturnType<typeof createInteractions> }
}

type Uid = { params: { uid: string } }
type Step = { page: 'consent' } | { redirect: string }

/** Longer than any address. */
const MAX_HINT = 320

const secondsNow = () => Math.floor(Date.now() / 1_000)

/** What stands between a request of an application and its answer: sign-in, a new proof, consent. */
function createInteractions (app: FastifyInstance) {
  const {
    applicationConsents, config, database, events, findApplication, freshProof, openid, providerAnswers,
    selfRegistration, users,
  } = app

  /** Only for the browser in which it began, which has its cookie. Undefined if it has expired. */
  async function seek (request: FastifyRequest): Promise<Interaction | undefined> {
    const { uid } = (request as Uid & FastifyRequest).params
    const provider = await openid.current()
    return request.cookies[COOKIES.interaction] === uid ? provider.Interaction.find(uid) : undefined
  }

  async function find (request: FastifyRequest): Promise<Interaction> {
    const interaction = await seek(request)
    if (!interaction) throw new NotFound()
    return interaction
  }

  /** Stores the result. Returns the address at which the provider goes on. */
  async function finish (interaction: Interaction, session: BrowserSession | undefined, result: InteractionResults) {
    // The user may have signed in to another account meanwhile: what follows is for that one, and what the former one
    // has proved and allowed does not count.
    const isSame = interaction.session !== undefined && interaction.session.uid === session?.firstId
    const isOfOther = session !== undefined && interaction.session?.accountId !== session.userId
    if (!isSame) delete interaction.session
    interaction.result = interaction.deviceCode && isOfOther
      ? { error: 'access_denied', error_description: 'another account entered the code' }
      : { ...isSame && interaction.lastSubmission, ...result }
    await interaction.save(Math.max(1, interaction.exp - secondsNow()))
    return interaction.returnTo
  }

  const refuse = (interaction: Interaction, error: string, description: string) =>
    finish(interaction, undefined, { error, error_description: description })

  const scopesOf = ({ params }: Interaction, { resources }: { resources: string[] }) =>
    requestedScopes(params, resources, config)

  const asks = ({ prompt }: Interaction, reason: string) => prompt.reasons.includes(reason)

  /** Not by the reasons of the prompt: when there is no session yet, the provider does not ask for more than one. */
  const needsSecondFactor = ({ params }: Interaction, session: BrowserSession) =>
    providerAnswers.lacksSecondFactor(params.acr_values, session)

  /** Whether the session is proved as the application asks. */
  async function isProved (interaction: Interaction, session: BrowserSession): Promise<boolean> {
    const { max_age: maxAge } = interaction.params
    const { authTime, id: sid, userId } = session
    const isSince = authTime >= interaction.iat
    if (asks(interaction, 'login_prompt') && !isSince) return false
    if (asks(interaction, 'fresh_proof') && !await freshProof.isFresh({ userId, sid })) return false
    if (asks(interaction, 'max_age') && !isSince && secondsNow() - authTime > Number(maxAge)) return false
    return !await needsSecondFactor(interaction, session)
  }

  /** The provider compares them only when the request begins, perhaps without a session. */
  function isOfOther ({ params }: Interaction, { userId }: BrowserSession): boolean {
    return typeof params.id_token_hint === 'string' && decodeJwt(params.id_token_hint).sub !== userId
  }

  const refuseOther = (interaction: Interaction) =>
    refuse(interaction, 'login_required', 'another account is signed in')

  /** For a user who is signed in, but perhaps some time ago. */
  async function afterSignIn (interaction: Interaction, session: BrowserSession): Promise<Step> {
    if (!await isProved(interaction, session)) return { redirect: `/oidc/interaction/${interaction.uid}/confirm` }
    const { userId: accountId, authTime: ts, amr } = session
    return { redirect: await finish(interaction, session, { login: { accountId, ts, amr, acr: levelOf(amr) } }) }
  }

  function loginAddress ({ params, uid }: Interaction) {
    const query = new URLSearchParams({ next: `/oidc/interaction/${uid}` })
    for (const name of ['login_hint', 'ui_locales']) {
      const value = params[name]
      if (typeof value === 'string') query.set(name, value.slice(0, MAX_HINT))
    }
    return `/login?${query}`
  }

  return {
    seek,
    find,

    /** What the browser does next. */
    async next (request: FastifyRequest, interaction: Interaction): Promise<Step> {
      const found = await openid.signedIn(request)
      if (!found) return { redirect: loginAddress(interaction) }
      if (found.mustEnrol) {
        return { redirect: `/dashboard?${new URLSearchParams({ next: `/oidc/interaction/${interaction.uid}` })}` }
      }
      if (isOfOther(interaction, found.session)) return { redirect: await refuseOther(interaction) }
      if (interaction.prompt.name === 'consent') return { page: 'consent' }
      return afterSignIn(interaction, found.session)
    },

    /** For the pages: who asks, and for what. */
    async describe (request: FastifyRequest, interaction: Interaction) {
      const found = await openid.signedIn(request)
      if (!found) throw new Unauthorized()
      const user = await users.findById(found.session.userId)
      const { client_id: id, redirect_uri: uri } = interaction.params as Record<string, string>
      const application = id ? await findApplication(id, request) : undefined
      if (!application || !user) throw new NotFound()
      const { documentUrl, name, registration, trusted } = application
      return {
        prompt: interaction.prompt.name,
        // On another device, it has no address.
        application: {
          id,
          name,
          host: uri ? applicationHost(uri) : '',
          trusted,
          ...registration && {
            unverified: {
              document: documentUrl && applicationHost(documentUrl),
              onDevice: Boolean(uri) && !uri?.startsWith('https:'),
            },
          },
        },
        ...describeScopes(scopesOf(interaction, application), config.resources),
        account: { username: user.username, email: user.email, name: user.name },
        secondFactor: await needsSecondFactor(interaction, found.session),
        language: languageOf(request),
      }
    },

    /** The answer of the user, who also refuses a new proof with it. Returns the address to open. */
    async decide (request: FastifyRequest, interaction: Interaction, allow: boolean): Promise<string> {
      const found = await openid.signedIn(request)
      if (!found || found.mustEnrol) throw new NotFound()
      const { session } = found
      if (!allow) return refuse(interaction, 'access_denied', 'the user did not allow it')
      if (interaction.prompt.name !== 'consent') throw new NotFound()
      if (isOfOther(interaction, session)) return refuseOther(interaction)
      const { client_id: id = '' } = interaction.params as Record<string, string>
      const application = await findApplication(id, request)
      if (!application) throw new NotFound()
      const scopes = scopesOf(interaction, application)
      if (application.registration) await selfRegistration.countAllowed(session.userId)
      await database.transact(async client => {
        // The consent to one that registered itself counts for this sign-in alone.
        if (application.registration) await selfRegistration.markAllowed(client, application)
        else await applicationConsents.add(client, session.userId, application.id, scopes)
        await events.record('application_allowed', request, session.userId, client, application.id)
      })
      return finish(interaction, session, { consent: { by: session.userId } })
    },
  }
}

export default fp(async function (app) {
  if (app.config.OPENID === 'on') app.decorate('openidInteractions', createInteractions(app))
}, {
  name: 'openid-interactions',
  dependencies: [
    'application-consents', 'database', 'events', 'find-application', 'fresh-proof', 'openid', 'provider-answers',
    'self-registration', 'users',
  ],
})
