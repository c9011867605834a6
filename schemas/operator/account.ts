import { Type } from '@sinclair/typebox'
import { Conflict, HttpError } from '../../src/errors.ts'
import { AccountOfOperator, IdempotencyKeyReused, NoSuchUser, RequestUnderWay } from '../../src/operators/errors.ts'
import { WeakPassword } from '../../src/passwords/errors.ts'
import { RegisterSchema } from '../accounts.ts'
import { errorResponse, Failure, noContent, response, textOrNull } from '../common.ts'
import { ExternalId, Password, PASSWORD, strict } from '../fields.ts'
import { AccountChange } from '../profile.ts'
import { AccountData } from '../account-data.ts'
import { SESSION_PLACE } from '../sessions.ts'
import { DATA_FAILURES, ETAG, IfMatch } from './account-data.ts'
import { changeFailures, READ_FAILURES, timestamp, UserId, WRITE_FAILURES } from './common.ts'
import { WITH_KEY } from './documentation.ts'
import { EVENT, ListedEvent } from './events.ts'
import { ADA, ListedAccount } from './users.ts'

const params = Type.Object({ id: UserId }, strict)
const CHANGE_FAILURES = changeFailures('the account is an operator and cannot be changed; ', new AccountOfOperator())
const notFound = { 404: errorResponse('There is no such user.', new NoSuchUser()) }

const Session = Type.Object({
  id: Type.String({ maxLength: 36 }),
  ...SESSION_PLACE,
  firstUsedAt: timestamp('When it began'),
  lastUsedAt: timestamp('When its token was last renewed'),
}, { title: 'Session' })

const Factors = Type.Object({
  hasPassword: Type.Boolean({
    description: 'False if the owner has yet to choose one: after an invitation, an import without hashes, or when ' +
      'an operator expired it. Also false if the account signs in only through a provider',
  }),
  passkeys: Type.Integer({ description: 'How many' }),
  totp: Type.Boolean({ description: 'Whether an authenticator app is set up' }),
  recoveryCodesLeft: Type.Integer(),
}, { title: 'Factors' })

export const AccountSchema = {
  summary: 'See an account',
  description: 'Its live sessions, its newest 50 events, and how it can be signed in to. Needs the scope `users:read`.',
  tags: ['Users'],
  security: WITH_KEY,
  params,
  response: {
    200: response('The account.', Type.Object({
      user: ListedAccount,
      data: AccountData,
      isOperator: Type.Boolean({ description: 'Whether it may sign in here. Keys cannot change such an account' }),
      sessions: Type.Array(Session),
      events: Type.Array(ListedEvent),
      factors: Factors,
      providers: Type.Array(Type.String(), { description: 'Those that the account is connected to' }),
    }, {
      examples: [{
        user: ADA,
        data: { roles: ['editor'], tenant: 'acme' },
        isOperator: false,
        sessions: [],
        events: [EVENT],
        factors: { hasPassword: true, passkeys: 1, totp: false, recoveryCodesLeft: 10 },
        providers: ['provider_a'],
      }],
    }), ETAG),
    ...READ_FAILURES,
    ...notFound,
  },
}

const { username, email, name } = RegisterSchema.body.properties

/** As for a registration, with the reasons if the password is refused. */
const NotCreated = Type.Object({
  ...Failure.properties,
  valid: Type.Optional(Type.Boolean()),
  errors: Type.Optional(Type.Array(Type.String(), { description: 'The rules that the password does not meet' })),
})

export const CreateUserSchema = {
  summary: 'Create an account',
  description: 'Without a password, the owner is invited: a mail has a link to choose one, which also confirms the ' +
    'address. The link is valid for seven days; afterwards, the owner asks for a new one at `/reset-password`. ' +
    'With `password`, which must meet the rules, or with the hash that another system made of it, a mail asks the ' +
    'owner to confirm the address, unless `emailVerified` says that you vouch for it. Needs the scope `users:write`.',
  tags: ['Users'],
  security: WITH_KEY,
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description: 'A random value. A request with the same one within a day gets the same response',
    })),
  }),
  body: Type.Object({
    username,
    email,
    name,
    externalId: Type.Optional(ExternalId),
    password: Type.Optional(Password),
    passwordHash: Type.Optional(Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'A hash of bcrypt, Argon2, scrypt or PBKDF2, in the forms that the import reads. Not together ' +
        'with `password`',
    })),
    emailVerified: Type.Optional(Type.Boolean({
      description: 'Whether you vouch for the address. Only with a password or a hash: an invitation confirms it',
    })),
  }, {
    ...strict,
    examples: [
      { username: 'ada', email: 'ada@example.com', name: 'Ada Lovelace', externalId: 'customer-1815' },
      { username: 'ada', email: 'ada@example.com', password: PASSWORD, emailVerified: true },
    ],
  }),
  response: {
    201: response('Created. The mail will be sent.', Type.Object({ user: ListedAccount }, {
      examples: [{ user: { ...ADA, emailVerifiedAt: null } }],
    })),
    ...WRITE_FAILURES,
    400: errorResponse(
      'The body does not match this description, has a password and a hash, or a hash that cannot be verified.',
      [new HttpError(400, 'Send a password or a passwordHash, not both.'),
        new HttpError(400, 'passwordHash: not a hash of a known scheme.')]
    ),
    409: errorResponse(
      'The username, the email or the external id is taken, or the first request with this Idempotency-Key is still ' +
        'being handled.',
      [new Conflict('This username is taken.'), new RequestUnderWay()]
    ),
    422: errorResponse<typeof NotCreated>(
      'The password does not meet the rules, or the Idempotency-Key was used for another request.',
      [new WeakPassword(['Password must be at least 8 characters']), new IdempotencyKeyReused()],
      NotCreated
    ),
  },
}

export const ChangeUserSchema = {
  summary: 'Change an account',
  description: 'Only the fields that the body has. `null` removes a value. Another email address is asked for by a ' +
    'mail to it: nothing changes before its link is opened, within an hour. The former address is told then, and can ' +
    'undo it for 72 hours. Tokens have a new username after their next renewal. `data` replaces the whole object, ' +
    'and needs `If-Match` with its version. Needs the scope `users:write`.',
  tags: ['Users'],
  security: WITH_KEY,
  params,
  headers: IfMatch,
  body: { ...AccountChange, examples: [{ name: 'Ada King', timeZone: 'Europe/London' }, { externalId: null }] },
  response: {
    200: response('The account, as it is now.', Type.Object({
      user: ListedAccount,
      changed: Type.Array(Type.String(), { description: 'The names of the fields that have changed' }),
      emailRequested: Type.Unsafe<string | null>({
        ...textOrNull({ maxLength: 254 }),
        description: 'The address that the account gets when the link is opened, if another one was asked for',
      }),
    }, { examples: [{ user: ADA, changed: ['name', 'timeZone'], emailRequested: null }] }), ETAG),
    ...CHANGE_FAILURES,
    ...notFound,
    409: errorResponse(
      'The username, the email or the external id is taken, or no mail can be sent to this account.',
      new Conflict('This username is taken.')
    ),
    ...DATA_FAILURES,
  },
}

export const DeleteUserSchema = {
  summary: 'Delete an account',
  description: 'Deletes the account and all its data at once. Needs the scope `users:write`.',
  tags: ['Users'],
  security: WITH_KEY,
  params,
  response: { 204: noContent('Deleted.'), ...CHANGE_FAILURES, ...notFound },
}

const notPossible = {
  409: errorResponse('Not possible for this account.', new Conflict('Nothing could sign in to this account.')),
}
const changed = Type.Boolean({ description: 'False if there was nothing to do' })

export const actionSchema = (summary: string, description: string) => ({
  summary,
  description: `${description} Needs the scope \`users:write\`.`,
  tags: ['Users'],
  security: WITH_KEY,
  params,
  response: {
    200: response('Done.', Type.Object({ changed }, { examples: [{ changed: true }] })),
    ...CHANGE_FAILURES,
    ...notFound,
    ...notPossible,
  },
})

export const ResetFactorsSchema = {
  ...actionSchema(
    'Remove every second factor and passkey',
    'For an owner who lost them. The owner is told by mail. An operator loses the right to be one, until ' +
    '`gatehouse operator add` gives it again.'
  ),
  response: {
    200: response('Done.', Type.Object({
      changed,
      operatorRemoved: Type.Boolean({ description: 'Whether the account was an operator, and is none any more' }),
    }, { examples: [{ changed: true, operatorRemoved: false }] })),
    ...CHANGE_FAILURES,
    ...notFound,
    ...notPossible,
  },
}
