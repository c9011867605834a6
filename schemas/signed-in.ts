import { Type } from '@sinclair/typebox'
import { ProfileValues } from './profile.ts'
import { PublicUser } from './user.ts'
import { LANGUAGE_NAMES } from '../src/site/language.ts'
import { BODY_FAILURES, failures, forbiddenWithCsrf, noContent, response, stringEnum } from './common.ts'
import { OPTIONAL_SESSION, SIGNED_IN, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { strict } from './fields.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

export const AccountSchema = {
  summary: 'Read the account',
  description: 'Read from the database, not from the token.',
  tags: ['Account'],
  security: SIGNED_IN,
  response: {
    200: response('The account.', Type.Object({
      user: PublicUser,
      ...ProfileValues,
      hasPassword: Type.Boolean({
        description: 'False if the user signs in only through a provider, or an operator expired the password',
      }),
    }, {
      title: 'Account',
      examples: [{ user: PublicUser.examples[0], language: 'en', timeZone: 'Europe/London', hasPassword: true }],
    })),
    ...failures(401, 503),
  },
}

export const LanguageSchema = {
  summary: 'Choose the language of mails',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({ language: stringEnum(...LANGUAGE_NAMES) }, { ...strict, examples: [{ language: 'de' }] }),
  response: {
    204: noContent('The language is stored.'),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithCsrf(),
    ...TOO_MANY_REQUESTS,
  },
}

export const SessionStateSchema = {
  summary: 'Get the session state',
  description: 'For public pages: never a 401, which browsers log in their console.',
  tags: ['Session'],
  security: OPTIONAL_SESSION,
  response: {
    200: response('The signed-in user, or null.', Type.Object({
      user: Type.Union([Type.Object({ id: Type.String(), username: Type.String() }), Type.Null()]),
      expiresIn: Type.Integer({ description: 'Seconds until the access token expires' }),
      mustEnrol: Type.Optional(Type.Boolean({
        description: '`true` if the user signed in and can do nothing but add a second factor. `user` is null then',
      })),
      renewable: Type.Boolean({ description: 'Whether there is an unexpired refresh token, which may be revoked' }),
    }, {
      title: 'SessionState',
      examples: [{ user: { id: '42', username: 'ada' }, expiresIn: 840, renewable: true }],
    })),
  },
}
