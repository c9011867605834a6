import { randomBytes, randomUUID } from 'node:crypto'
import { errors, type ClientMetadata, type Configuration } from 'oidc-provider'
import { HttpError } from '../errors.ts'
import { clientMetadata } from './client-metadata.ts'
import { RefusedUri } from './redirect-uris.ts'
import { describeItself, type SelfDescription, type SelfRules } from './self-description.ts'
import { visits } from './visit.ts'

/** A name that no application can use: the package asks for one, and calls the validator for it. */
const PROPERTY = ' '

function described (metadata: object, rules: SelfRules): SelfDescription {
  try {
    return describeItself(metadata, { ...rules, registration: 'dynamic' })
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    // The package makes it `invalid_redirect_uri` by the first word.
    const { message } = error
    throw new errors.InvalidClientMetadata(error instanceof RefusedUri ? `redirect_uris: ${message}` : message)
  }
}

/** Dynamic registration, RFC 7591: only what `describeItself` reads gets through, and nothing is fetched. */
export const registrationEndpoint = (rules: SelfRules) => ({
  features: {
    registration: {
      enabled: true,
      idFactory: () => randomUUID(),
      secretFactory: () => randomBytes(32).toString('base64url'),
      issueRegistrationAccessToken: false,
    },
  },

  extraClientMetadata: {
    properties: [PROPERTY],
    validator (ctx, _property, _value, metadata: ClientMetadata) {
      const visit = visits.getStore()
      // The others come from the storage.
      if (ctx?.oidc.route !== 'registration' || !visit) return
      const application = described(metadata, rules)
      const { client_id: id, client_id_issued_at: issuedAt, client_secret: secret } = metadata
      for (const name of Object.keys(metadata)) delete metadata[name]
      Object.assign(metadata, clientMetadata({ ...application, id, secrets: [] }), { client_id_issued_at: issuedAt })
      if (metadata.client_secret) Object.assign(metadata, { client_secret: secret, client_secret_expires_at: 0 })
      visit.registration = application
    },
  },
}) satisfies Configuration
