import { Type } from '@sinclair/typebox'
import { PublicUser } from './accounts.ts'
import { response, failures } from './common.ts'
import { ANYBODY, SIGNED_IN } from './documentation.ts'

export const AccountSchema = {
  summary: 'Read the account',
  description: 'As it is in the records now.',
  tags: ['Account'],
  security: SIGNED_IN,
  response: {
    200: response('The account.', Type.Object({
      user: PublicUser,
      hasPassword: Type.Boolean({ description: 'False for those who sign in through a provider alone' }),
    }, { title: 'Account', examples: [{ user: PublicUser.examples[0], hasPassword: true }] })),
    ...failures(401, 503),
  },
}

export const SessionStateSchema = {
  summary: 'Is anybody signed in?',
  description: 'For pages that open for everybody: never a 401, which browsers report in their console.',
  tags: ['Session'],
  security: ANYBODY,
  response: {
    200: response('The user, or nobody.', Type.Object({
      user: Type.Union([Type.Object({ id: Type.String(), username: Type.String() }), Type.Null()]),
      expiresIn: Type.Integer({ description: 'Seconds that the access token still lasts' }),
      renewable: Type.Boolean({ description: 'Whether there is a refresh token to trade; it may have been ended since' }),
    }, { title: 'SessionState', examples: [{ user: { id: '42', username: 'ada' }, expiresIn: 840, renewable: true }] })),
  },
}
