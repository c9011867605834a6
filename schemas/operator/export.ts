import { Type } from '@sinclair/typebox'
import { AccountOfOperator, NoSuchUser, OperatorSessionRequired } from '../../src/operators/errors.ts'
import { errorResponse } from '../common.ts'
import { PUBLIC } from '../documentation.ts'
import { ExportSchema } from '../export.ts'
import { strict } from '../fields.ts'
import { changeFailures, UserId } from './common.ts'

export const ExportUserSchema = {
  summary: 'Download all data of an account',
  description: 'The same file that the owner can download: neither hashes nor keys nor tokens. Recorded as an event ' +
    'that the owner sees. Only for operators with a session on the page and a fresh proof of identity: keys of the ' +
    'API and sign-ins on the command line get 403.',
  tags: ['Users'],
  security: PUBLIC,
  params: Type.Object({ id: UserId }, strict),
  response: {
    200: ExportSchema.response[200],
    ...changeFailures(
      'the request has no session of an operator; the account is an operator, and this one is no administrator; ',
      new OperatorSessionRequired(), new AccountOfOperator()),
    404: errorResponse('There is no such user.', new NoSuchUser()),
  },
}
