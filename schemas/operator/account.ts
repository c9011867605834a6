import { Type } from '@sinclair/typebox'
import { Conflict, HttpError } from '../../src/errors.ts'
import { AccountOfOperator, IdempotencyKeyReused, NoSuchUser, RequestUnderWay } from '../../src/operators/errors.ts'
import { WeakPassword } from '../../src/passwords/errors.ts'
import { RegisterSchema } from '../accounts.ts'
import { ApplicationName } from '../applications.ts'
import { errorResponse, Failure, noContent, response, textOrNull } from '../common.ts'
import { Password, PASSWORD, strict } from '../fields.ts'
import { changeFailures, READ_FAILURES, timestamp, UserId, WRITE_FAILURES } from './common.ts'
import { WITH_KEY } from './documentation.ts'
import { EVENT, ListedEvent } from './events.ts'
import { ADA, ListedAccount } from './users.ts'

const params = Type.Object({ id: UserId }, strict)
const CHANGE_FAILURES = changeFailures('the account is an operator and cannot be changed; ', new AccountOfOperator())
const notFound = { 404: errorResponse('There is no such user.', new NoSuchUser()) }

const Session = Type.Object({
  id: Type.String({ maxLength: 36 }),
  ip: textOrNull(),
  device: Type.String({
    description: 'Browser and operating system, such as `Firefox on Linux`, or the name of the application',
  }),
  application: Type.Union([ApplicationName, Type.Null()], {
    description: 'The application that stays connected with this session, if it is not one of a browser',
  }),
  bound: Type.Boolean({
    description: 'Whether it is bound to its device: a copy of its cookies cannot be renewed elsewhere',
  }),
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
      isOperator: Type.Boolean({ description: 'Whether it may sign in here. Keys cannot change such an account' }),
      sessions: Type.Array(Session),
      events: Type.Array(ListedEvent),
      factors: Factors,
      providers: Type.Array(Type.String(), { description: 'Those that the account is connected to' }),
    }, {
      examples: [{
        user: ADA,
        isOperator: false,
        sessions: [],
        events: [EVENT],
        factors: { hasPassword: true, passkeys: 1, totp: false, recoveryCodesLeft: 10 },
        providers: ['provider_a'],
      }],
    })),
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
      { username: 'ada', email: 'ada@example.com', name: 'Ada Lovelace' },
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
      'The username or the email is taken, or the first request with this Idempotency-Key is still being handled.',
      [new Conflict('This username is taken.'), new RequestUnderWay()]
    ),
    422: errorResponse<typeof NotCreated>(
      'The password does not meet the rules, or the Idempotency-Key was used for another request.',
      [new WeakPassword(['Password must be at least 8 characters']), new IdempotencyKeyReused()],
      NotCreated
    ),
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
