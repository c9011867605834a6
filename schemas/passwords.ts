import { Type } from '@sinclair/typebox'
import { WeakPassword } from '../src/errors.ts'
import { response, BODY_FAILURES, refusal, TOO_MANY_REQUESTS } from './common.ts'
import { PUBLIC } from './documentation.ts'

const Messages = Type.Array(Type.String({ maxLength: 500 }))

/** Longer than any password may be, so that a rule says so and not the schema. */
const PasswordToCheck = Type.String({ maxLength: 1000 })

const PasswordCheck = Type.Object({
  password: PasswordToCheck,
  username: Type.Optional(Type.String({ maxLength: 254 })),
  email: Type.Optional(Type.String({ maxLength: 254 })),
}, { additionalProperties: false, examples: [{ password: 'correct-Horse-42-staple', username: 'ada' }] })

const PasswordAssessment = Type.Object({
  score: Type.Integer({ minimum: 0, maximum: 4, description: 'From 0, guessed at once, to 4' }),
  feedback: Messages,
  isStrong: Type.Boolean({ description: 'Whether the score is 3 or more' }),
  valid: Type.Boolean({ description: 'Whether it would be taken' }),
  errors: Messages,
}, { title: 'PasswordAssessment', examples: [{ score: 4, feedback: [], isStrong: true, valid: true, errors: [] }] })

const WeakPasswordFailure = Type.Object({
  error: Type.String({ maxLength: 100 }),
  message: Type.String({ maxLength: 1000 }),
  valid: Type.Literal(false),
  errors: Messages,
}, { title: 'WeakPasswordFailure' })

/** The 422 of every route that takes a new password. */
export const WEAK_PASSWORD = {
  422: refusal<typeof WeakPasswordFailure>('The password does not meet every rule.', new WeakPassword(['Password must be at least 8 characters']), WeakPasswordFailure),
}

export const PasswordCheckSchema = {
  summary: 'How good a password is',
  description: 'Nothing is stored. With the username and the email, a password that holds them rates lower.',
  tags: ['Passwords'],
  security: PUBLIC,
  body: PasswordCheck,
  response: { 200: response('What the rules and zxcvbn say.', PasswordAssessment), ...BODY_FAILURES, ...TOO_MANY_REQUESTS },
}
