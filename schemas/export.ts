import { Type } from '@sinclair/typebox'
import { FreshProofRequired } from '../src/factors/errors.ts'
import { AccountData } from './account-data.ts'
import { dateTime, errorResponse, failures, response, textOrNull } from './common.ts'
import { SIGNED_IN } from './documentation.ts'
import { FreshProofNeeded } from './fresh-proof.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'
import { PublicUser } from './user.ts'

const dateOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })
const ofRow = { createdAt: dateTime('When it was added'), lastUsedAt: dateOrNull('When it was last used') }

const Account = Type.Object({
  ...PublicUser.properties,
  externalId: textOrNull(),
  language: textOrNull(),
  timeZone: textOrNull(),
  provider: textOrNull(),
  hasPassword: Type.Boolean(),
  emailVerifiedAt: dateOrNull('When the address was confirmed'),
  verificationSentAt: dateOrNull('When the last link to confirm it was sent'),
  firstSignedInAt: dateOrNull('The first sign-in'),
  stolenPasswordToldAt: dateOrNull('When the owner was told that the password is on a list of stolen passwords'),
  createdAt: dateTime('When the account was created'),
  updatedAt: dateTime('The last change'),
})

const Identity = Type.Object({
  provider: Type.String(),
  subject: Type.String({ description: 'The id of the user at the provider' }),
  issuer: textOrNull(),
  email: textOrNull(),
  connectedAt: dateOrNull('Unknown (null) for providers A and B'),
  lastUsedAt: dateOrNull('Unknown (null) for providers A and B'),
})

const Passkey = Type.Object({
  id: Type.String(),
  credentialId: Type.String(),
  name: Type.String(),
  deviceType: Type.String(),
  synced: Type.Boolean(),
  transports: Type.Array(Type.String()),
  ...ofRow,
})

const Link = Type.Object({
  kind: Type.String({ description: '`verify`, `reset`, `change_email` or `undo_email`' }),
  email: textOrNull(),
  createdAt: dateTime('When it was sent'),
  expiresAt: dateTime('When it expires'),
  usedAt: dateOrNull('When it was opened'),
})

const Session = Type.Object({
  id: Type.String(),
  ip: textOrNull(),
  userAgent: textOrNull(),
  firstUsedAt: dateTime('The sign-in'),
  lastUsedAt: dateTime('The last refresh'),
  expiresAt: dateTime('When it expires'),
  confirmedAt: dateOrNull('When the identity was confirmed after the sign-in'),
  methods: Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'How the identity was proved' }),
  endedAt: dateOrNull('When it was ended'),
  endedBecause: textOrNull(),
  replacedBy: textOrNull(),
  firstId: Type.Unsafe<string | null>({ ...textOrNull(), description: 'The first session of those that replaced it' }),
  applicationId: Type.Unsafe<string | null>({
    ...textOrNull(),
    description: 'The application that stays connected with this session, if it is not one of a browser',
  }),
})

const ofApplication = {
  applicationId: Type.String({ description: 'The client_id of the application' }),
  name: Type.String({ description: 'The name of the application' }),
  scopes: Type.Array(Type.String()),
}

const Consent = Type.Object({ ...ofApplication, grantedAt: dateTime('When the user allowed it') })

const Grant = Type.Object({
  id: Type.String(),
  ...ofApplication,
  sessionId: Type.String({ description: 'The session with which it ends' }),
  signedInFrom: Type.String({ description: 'The session of the browser' }),
  createdAt: dateTime('The sign-in'),
  lastUsedAt: dateTime('The last use'),
  endedAt: dateOrNull('When it was ended'),
})

const AT = '2026-01-31T09:00:00.000Z'
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const EXAMPLE = {
  exportedAt: AT,
  account: {
    ...PublicUser.examples[0],
    externalId: null,
    language: 'en',
    timeZone: 'Europe/London',
    provider: null,
    hasPassword: true,
    emailVerifiedAt: AT,
    verificationSentAt: AT,
    firstSignedInAt: AT,
    stolenPasswordToldAt: null,
    createdAt: AT,
    updatedAt: AT,
  },
  applicationData: { data: { tenant: 'acme' }, version: 1, updatedAt: AT },
  providers: [],
  passkeys: [],
  authenticatorApp: null,
  recoveryCodes: { left: 0, createdAt: null, lastUsedAt: null },
  links: [],
  codes: [],
  wrongCodes: [],
  mails: [],
  operator: null,
  operatorSessions: [],
  applications: [],
  applicationGrants: [],
  sessions: [],
  events: [
    { what: 'data_exported', ip: '203.0.113.7', userAgent: USER_AGENT, subject: null, byOperator: false, at: AT },
  ],
}

export const ExportSchema = {
  summary: 'Download all data about the user',
  description: 'Everything that is stored about the signed-in user, as a file: neither hashes nor keys nor tokens. ' +
    'Needs a fresh proof of identity.',
  tags: ['Account'],
  security: SIGNED_IN,
  response: {
    200: response('The data.', Type.Object({
      exportedAt: dateTime('Now'),
      account: Account,
      applicationData: Type.Union([
        Type.Object({
          data: AccountData,
          version: Type.Integer({ description: 'How often it has changed' }),
          updatedAt: dateTime('The last change'),
        }),
        Type.Null(),
      ], { description: 'What applications keep about the user' }),
      providers: Type.Array(Identity),
      passkeys: Type.Array(Passkey),
      authenticatorApp: Type.Union([
        Type.Object({ createdAt: ofRow.createdAt, confirmedAt: dateOrNull('Null while it is being set up') }),
        Type.Null(),
      ]),
      recoveryCodes: Type.Object({
        left: Type.Integer(),
        createdAt: dateOrNull('When they were created'),
        lastUsedAt: ofRow.lastUsedAt,
      }),
      links: Type.Array(Link, { description: 'Links that were sent, such as one to a new address (`change_email`)' }),
      codes: Type.Array(Type.Object({
        purpose: Type.String(),
        email: Type.String(),
        createdAt: dateTime('When it was asked for'),
        expiresAt: dateTime('When it expires'),
        usedAt: dateOrNull('When it was used'),
        tries: Type.Integer({ description: 'How often a code was tried' }),
        known: Type.Boolean({ description: 'Whether a browser asked that had signed in before' }),
      }), { description: 'Codes in mails, such as one to sign in' }),
      wrongCodes: Type.Array(Type.Object({
        known: Type.Boolean({ description: 'Whether they come from browsers that had signed in before' }),
        wrong: Type.Integer({ description: 'How many there were' }),
        since: dateTime('When the first one was tried'),
      }), { description: 'Wrong codes that were tried for the address, for two weeks' }),
      mails: Type.Array(Type.Object({
        kind: Type.String(),
        email: Type.String(),
        createdAt: dateTime('When it was written'),
        state: Type.String(),
      }), { description: 'Mails that wait, and those of the last hour' }),
      operator: Type.Union([
        Type.Object({ role: Type.String(), addedAt: dateTime('When the account became an operator') }),
        Type.Null(),
      ]),
      operatorSessions: Type.Array(Type.Object({
        id: Type.String(),
        provedAt: dateTime('When the identity was last confirmed'),
        lastUsedAt: dateTime('The last request'),
        expiresAt: dateTime('When it expires'),
      })),
      applications: Type.Array(Consent, { description: 'What the user has allowed applications' }),
      applicationGrants: Type.Array(Grant, { description: 'What applications got by each sign-in' }),
      sessions: Type.Array(Session),
      events: Type.Array(Type.Object({
        what: Type.String(),
        ip: textOrNull(),
        userAgent: textOrNull(),
        subject: Type.Unsafe<string | null>({
          ...textOrNull(),
          description: 'What it concerned beside the account, such as the id of an application',
        }),
        byOperator: Type.Boolean({ description: 'Whether an operator made this change' }),
        at: dateTime('When it happened'),
      }), { description: 'All security events, newest first' }),
    }, { title: 'OwnData', examples: [EXAMPLE] }), {
      'content-disposition': Type.String({ description: '`attachment; filename="account-data.json"`' }),
    }),
    ...failures(401, 503),
    403: errorResponse(
      'The identity was not confirmed within `FRESH_SECONDS`.',
      new FreshProofRequired(['totp', 'recovery']),
      FreshProofNeeded
    ),
    ...TOO_MANY_REQUESTS,
  },
}
