import { Type } from '@sinclair/typebox'
import { Conflict, WrongPassword } from '../src/errors.ts'
import { BODY_FAILURES, errorResponse, failures, noContent } from './common.ts'
import { PUBLIC, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { invalidLink, LinkToken, mailLink, Password, PASSWORD, strict, TOKEN } from './fields.ts'
import { forbiddenWithoutFreshProof } from './fresh-proof.ts'
import { TOO_MANY_GUESSES, TOO_MANY_REQUESTS, TOO_MANY_RESETS } from './limits.ts'
import { WEAK_PASSWORD } from './passwords.ts'
import { NEW_SESSION } from './user.ts'

const reset = mailLink('If there is an account with this address, we sent a reset link to it.')
export const RequestResetSchema = {
  ...reset,
  summary: 'Request a password reset',
  tags: ['Passwords'],
  response: { ...reset.response, ...TOO_MANY_RESETS },
}

export const ConfirmResetSchema = {
  summary: 'Set a new password with a reset link',
  description: 'The link is valid once, for one hour. All sessions of the user end, and an email notifies the user.',
  tags: ['Passwords'],
  security: PUBLIC,
  body: Type.Object({ token: LinkToken, password: Password }, {
    ...strict,
    examples: [{ token: TOKEN, password: PASSWORD }],
  }),
  response: {
    204: noContent('Changed. Sign in with the new password.'),
    ...BODY_FAILURES,
    400: invalidLink,
    ...WEAK_PASSWORD,
    ...TOO_MANY_REQUESTS,
  },
}

export const ChangePasswordSchema = {
  summary: 'Change the password, or set the first one',
  description: 'All other sessions of the user end, and an email notifies the user. An account that signs in through ' +
    'a provider and has no password needs a fresh proof of identity in place of `current`.',
  tags: ['Passwords'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({
    current: Type.Optional(Type.String({ ...Password, description: 'Required if the account has a password' })),
    password: Password,
  }, {
    ...strict,
    examples: [{ current: PASSWORD, password: 'even-Better-43-staple' }],
  }),
  response: {
    204: noContent('Changed.', NEW_SESSION),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithoutFreshProof('the current password is not correct, ', new WrongPassword()),
    409: errorResponse(
      'The account has no password, and `current` was sent, or another account with a password has its username.',
      [
        new Conflict('This account has no password.'),
        new Conflict('Another account has this username, or this one got a password meanwhile.'),
      ]
    ),
    ...WEAK_PASSWORD,
    ...TOO_MANY_GUESSES,
  },
}
