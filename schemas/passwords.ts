import { Type } from '@sinclair/typebox'
import { BODY_FAILURES, Failure, TooMany } from './common.ts'

const Messages = Type.Array(Type.String({ maxLength: 500 }))

/** Longer than any password may be, so that a rule says so and not the schema. */
const PasswordToCheck = Type.String({ maxLength: 1000 })

const PasswordCheck = Type.Object({
  password: PasswordToCheck,
  username: Type.Optional(Type.String({ maxLength: 254 })),
  email: Type.Optional(Type.String({ maxLength: 254 })),
}, { additionalProperties: false })

const PasswordAssessment = Type.Object({
  score: Type.Integer({ minimum: 0, maximum: 4 }),
  feedback: Messages,
  isStrong: Type.Boolean(),
  valid: Type.Boolean(),
  errors: Messages,
})

/** The 422 of every route that takes a new password. */
export const WeakPasswordFailure = Type.Object({
  ...Failure.properties,
  valid: Type.Literal(false),
  errors: Messages,
})

export const PasswordCheckSchema = {
  body: PasswordCheck,
  response: { 200: PasswordAssessment, ...BODY_FAILURES, 429: TooMany },
}
