import { FormatRegistry } from '@sinclair/typebox'
import formats from 'ajv-formats'
import fp from 'fastify-plugin'
import { RegisterSchema } from '../../schemas/accounts.ts'
import { ExternalId, fits } from '../../schemas/fields.ts'
import { HttpError } from '../../src/errors.ts'
import type { NewUser } from '../records/accounts/users.ts'

type Fields = Pick<NewUser, 'username' | 'email' | 'name' | 'externalId'>

declare module 'fastify' {
  interface FastifyInstance {
    /** Throws a 400 unless the fields of a new account follow the rules of a registration. The API has a schema. */
    requireValidFields (fields: Fields): void
  }
}

// TypeBox has no email format of its own: use the one that Fastify uses.
FormatRegistry.Set('email', value => (formats.default.get('email') as RegExp).test(value))

function requireValidFields ({ username, email, name, externalId }: Fields) {
  const { properties } = RegisterSchema.body
  if (!fits(properties.username, username)) {
    throw new HttpError(400, `Invalid username: it must have ${properties.username.description}.`)
  }
  if (!fits(properties.email, email)) throw new HttpError(400, 'Invalid email address.')
  if (name !== undefined && !fits(properties.name, name)) {
    throw new HttpError(400, 'Invalid name: it is too long or contains control characters.')
  }
  if (externalId !== undefined && !fits(ExternalId, externalId)) {
    throw new HttpError(400, 'Invalid external id: it is empty, too long or contains control characters.')
  }
}

export default fp(async function (app) {
  app.decorate('requireValidFields', requireValidFields)
}, { name: 'valid-fields' })
