import { Type } from '@sinclair/typebox'
import { BreachedPassword, WeakPassword } from '../src/passwords/errors.ts'
import { response, BODY_FAILURES, errorResponse } from './common.ts'
import { PUBLIC } from './documentation.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

const Messages = Type.Array(Type.String({ maxLength: 500 }))

/** Longer than a valid password, so that the password rules report the length and not the schema. */
const PasswordToCheck = Type.String({ maxLength: 1000 })

const PasswordCheck = Type.Object({
  password: PasswordToCheck,
  username: Type.Optional(Type.String({ maxLength: 254 })),
  email: Type.Optional(Type.String({ maxLength: 254 })),
  name: Type.Optional(Type.String({ maxLength: 200 })),
}, { additionalProperties: false, examples: [{ password: 'correct-Horse-42-staple', username: 'ada' }] })

const PasswordAssessment = Type.Object({
  score: Type.Integer({ minimum: 0, maximum: 4, description: 'From 0 (weak) to 4 (strong)' }),
  feedback: Messages,
  isStrong: Type.Boolean({ description: 'Whether the score is 3 or more' }),
  valid: Type.Boolean({ description: 'Whether the password meets all rules' }),
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
  422: errorResponse<typeof WeakPasswordFailure>(
    'The password does not meet all rules, or is on the list of breached passwords (`BREACHED_PASSWORDS_URL`).',
    [new WeakPassword(['Password must be at least 8 characters']), new BreachedPassword()],
    WeakPasswordFailure
  ),
}

export const PasswordCheckSchema = {
  summary: 'Check the strength of a password',
  description: 'Nothing is stored. A password that contains the given username, email or name scores lower.',
  tags: ['Passwords'],
  security: PUBLIC,
  body: PasswordCheck,
  response: {
    200: response('The result of the password rules and of zxcvbn.', PasswordAssessment),
    ...BODY_FAILURES,
    ...TOO_MANY_REQUESTS,
  },
}
