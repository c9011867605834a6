import { Type, type Static } from '@sinclair/typebox'
import { LANGUAGE_NAMES } from '../src/site/language.ts'
import { RegisterSchema } from './accounts.ts'
import { BODY_FAILURES, failures, forbiddenWithCsrf, response, stringEnum, textOrNull } from './common.ts'
import { SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { AccountData } from './account-data.ts'
import { Email, ExternalId, Name, strict } from './fields.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'
import { PublicUser } from './user.ts'

const Language = stringEnum(...LANGUAGE_NAMES)
const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'A name of the IANA time zone database, such as `Europe/Berlin`',
})
const orNull = <T extends typeof Name | typeof Language | typeof TimeZone>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

/** What users may change of their own accounts. `null` removes a value. */
const ProfileFields = {
  name: orNull(Name),
  language: orNull(Language),
  timeZone: orNull(TimeZone),
}

/** What operators may change. */
export const AccountChange = Type.Object({
  ...ProfileFields,
  username: Type.Optional(RegisterSchema.body.properties.username),
  email: Type.Optional(Email),
  externalId: Type.Optional(Type.Union([ExternalId, Type.Null()])),
  data: Type.Optional(AccountData),
}, { ...strict, minProperties: 1 })
export type AccountChange = Static<typeof AccountChange>

/** What the account says about its user, besides the name. */
export const ProfileValues = {
  language: Type.Unsafe<string | null>({
    ...textOrNull({ maxLength: 8 }),
    description: 'The language of mails, such as `de`, and of pages unless another one is chosen there',
  }),
  timeZone: Type.Unsafe<string | null>({ ...textOrNull({ maxLength: 64 }), description: 'Such as `Europe/Berlin`' }),
}

const EXAMPLE = { user: PublicUser.examples[0], language: 'en', timeZone: 'Europe/London' }

export const ChangeProfileSchema = {
  summary: 'Change the profile of the user',
  description: 'Only the fields that the body has. The rules for the name are those of the registration. `null` ' +
    'removes a value.',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object(ProfileFields, {
    ...strict,
    minProperties: 1,
    examples: [{ name: 'Ada King' }, { language: 'en', timeZone: 'Europe/London' }, { name: null }],
  }),
  response: {
    200: response('The account, as it is now.', Type.Object({ user: PublicUser, ...ProfileValues }, {
      examples: [EXAMPLE],
    })),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithCsrf(),
    ...TOO_MANY_REQUESTS,
  },
}
