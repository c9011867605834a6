import { Type, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { HttpError, InvalidLink } from '../src/errors.ts'
import { BODY_FAILURES, errorResponse, patternWithout, plainText, response } from './common.ts'
import { PUBLIC } from './documentation.ts'

export const strict = { additionalProperties: false }

/** As the API checks it: TypeBox alone counts each character beyond the first 65,536, such as an emoji, as two. */
export const fits = (schema: TSchema, value: unknown): boolean =>
  Value.Check(schema, typeof value === 'string' ? value.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd') : value)

export const Email = Type.String({ format: 'email', maxLength: 254 })
/** How the user is called. Without line breaks, and without characters that reverse the text around them. */
export const Name = Type.String({
  pattern: patternWithout('\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069'),
  minLength: 1,
  maxLength: 200,
})
/** Not the format `uuid`, which also allows `urn:uuid:`. */
export const uuid = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', maxLength: 36, description })
/** The id of the user in another system. */
export const ExternalId = plainText({ minLength: 1, maxLength: 255 })
/** Longer than a valid password, so that the password rules report the length and not the schema. */
export const Password = Type.String({ minLength: 1, maxLength: 1000 })
export const LinkToken = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The token from the link in the email',
})

export const MailCode = Type.String({
  minLength: 6,
  maxLength: 20,
  pattern: '^\\s*([0-9]\\s*){6}$',
  description: 'The six digits from the email',
})

export const PASSWORD = 'correct-Horse-42-staple'
export const TOKEN = 'N6aTzvB1kQ0sWm3rXyLq8pHd5cEoUf2jGi7tVbKnA4M'

/** In the query, which version 0.2 ignores: it refuses unknown fields of a body. */
export const NextQuery = Type.Object({
  next: Type.Optional(Type.String({
    maxLength: 4096,
    description: 'Path of this origin to open after the sign-in. The link in the mail carries it. ' +
      'Any other value, and a path of more than 512 characters, is ignored',
  })),
})

export const messageBody = (message: string) =>
  Type.Object({ message: Type.String({ maxLength: 200 }) }, { examples: [{ message }] })

export const invalidLink = errorResponse(
  'The link was used already, has expired or never existed, or the body does not match this description.',
  [new InvalidLink(), new HttpError(400, 'body needs the field: token')]
)

/** A request for an email with a link. */
export const mailLink = (message: string) => ({
  security: PUBLIC,
  description: 'The response and its time do not reveal whether there is such an account.',
  querystring: NextQuery,
  body: Type.Object({ email: Email }, { ...strict, examples: [{ email: 'ada@example.com' }] }),
  response: { 202: response('Accepted.', messageBody(message)), ...BODY_FAILURES },
})
