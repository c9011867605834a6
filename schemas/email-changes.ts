import { Type } from '@sinclair/typebox'
import { InvalidCode } from '../src/factors/errors.ts'
import { BODY_FAILURES, failures, forbiddenWithCsrf, noContent, response } from './common.ts'
import { PUBLIC, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { Email, invalidLink, LinkToken, MailCode, messageBody, strict, TOKEN } from './fields.ts'
import { forbiddenWithoutFreshProof } from './fresh-proof.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

export const ChangeEmailSchema = {
  summary: 'Change the email address',
  description: 'Sends a link to the new address. Nothing changes before it is opened. ' +
    'The response does not reveal whether another account has the address.',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({ email: Email }, { ...strict, examples: [{ email: 'ada@example.org' }] }),
  response: {
    202: response(
      'Accepted.',
      messageBody('We sent a link to the new address. It replaces the present one when you open it.')
    ),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithoutFreshProof(),
    ...TOO_MANY_REQUESTS,
  },
}

export const ConfirmEmailCodeSchema = {
  summary: 'Confirm the new email address with the code of the mail',
  description: 'In the session that asked for the change. Otherwise as with the link.',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({ code: MailCode }, { ...strict, examples: [{ code: '204863' }] }),
  response: {
    204: noContent('Changed.'),
    ...BODY_FAILURES,
    400: invalidLink,
    ...failures(401),
    ...forbiddenWithCsrf('the code is wrong, was used already, has expired or had five tries, ', new InvalidCode(403)),
    ...TOO_MANY_REQUESTS,
  },
}

const withLink = {
  tags: ['Account'],
  security: PUBLIC,
  body: Type.Object({ token: LinkToken }, { ...strict, examples: [{ token: TOKEN }] }),
}
const LINK_FAILURES = { ...BODY_FAILURES, 400: invalidLink, ...TOO_MANY_REQUESTS }

export const ConfirmEmailSchema = {
  ...withLink,
  summary: 'Confirm the new email address',
  description: 'The link is valid once, for one hour. A mail to the former address has a link that undoes the change.',
  response: { 204: noContent('Changed.'), ...LINK_FAILURES },
}

export const UndoEmailSchema = {
  ...withLink,
  summary: 'Restore the former email address',
  description: 'The link is valid once, for 72 hours. All sessions of the user end.',
  response: { 204: noContent('Restored. Sign in again.'), ...LINK_FAILURES },
}
