import { Type } from '@sinclair/typebox'
import { PublicUser } from './accounts.ts'
import { failures } from './common.ts'

export const AccountSchema = {
  response: {
    200: Type.Object({
      user: PublicUser,
      hasPassword: Type.Boolean({ description: 'False for those who sign in through a provider alone' }),
    }),
    ...failures(401, 503),
  },
}

export const SessionStateSchema = {
  response: {
    200: Type.Object({
      user: Type.Union([Type.Object({ id: Type.String(), username: Type.String() }), Type.Null()]),
      expiresIn: Type.Integer({ description: 'Seconds that the access token still lasts' }),
      renewable: Type.Boolean({ description: 'Whether there is a refresh token to trade; it may have been ended since' }),
    }),
  },
}
