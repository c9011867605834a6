import { Type } from '@sinclair/typebox'
import { FAILURES, SIGN_INS } from '../../src/operators/sign-in-series.ts'
import { response, stringEnum } from '../common.ts'
import { strict } from '../fields.ts'
import { READ_FAILURES, timestamp } from './common.ts'
import { WITH_KEY } from './documentation.ts'

const countsOf = <Name extends string>(names: readonly Name[], description: string) => Type.Object(
  Object.fromEntries(names.map(name => [name, Type.Integer()])) as Record<Name, ReturnType<typeof Type.Integer>>,
  { description })

const Bucket = Type.Object({
  at: timestamp('When it begins'),
  signIns: countsOf(SIGN_INS, 'Sign-ins, by how they began'),
  failures: countsOf(FAILURES, 'Attempts that failed: with a password or passkey, a second factor or a provider'),
}, { title: 'SignInCounts' })

const Totals = Type.Object({
  countedAt: timestamp('When they were counted. This happens every five minutes'),
  accounts: Type.Integer(),
  withSecondFactor: Type.Integer({ description: 'Accounts with an authenticator app or a passkey' }),
  sessions: Type.Integer({ description: 'Live sessions' }),
}, { title: 'Totals' })

const SessionCount = Type.Object({
  at: timestamp('When the hour or day begins'),
  sessions: Type.Integer({ description: 'The most live sessions' }),
}, { title: 'SessionCount' })

const AT = '2026-01-31T09:00:00.000Z'
const BUCKET = {
  at: AT,
  signIns: { password: 12, passkey: 3, provider: 5, mail: 2 },
  failures: { firstStep: 2, secondFactor: 1, provider: 0 },
}

export const OverviewSchema = {
  summary: 'See what is going on',
  description: 'Sign-ins of the last hour, the last seven days and the last 30 days, from counts that are a few ' +
    'seconds old. ' +
    '`passwords` are those of the instance that responds. Needs the scope `overview:read`.',
  tags: ['Service'],
  security: WITH_KEY,
  querystring: Type.Object({
    hours: Type.Optional(Type.Unsafe<'24' | '168'>({
      ...stringEnum('24', '168'),
      description: 'How many `hours` there are. Default: 168',
    })),
  }, strict),
  response: {
    200: response('The overview.', Type.Object({
      minutes: Type.Array(Bucket, { description: 'The last 60, the oldest first' }),
      hours: Type.Array(Bucket, { description: 'The last 168, or 24, the oldest first' }),
      days: Type.Array(Bucket, { description: 'The last 30 days of UTC, the oldest first' }),
      totals: Type.Optional(Totals),
      sessionsByHour: Type.Array(SessionCount),
      sessionsByDay: Type.Array(SessionCount),
      passwords: Type.Object({
        running: Type.Integer({ description: 'Passwords being checked now' }),
        waiting: Type.Integer({ description: 'Logins that wait for it' }),
      }),
      mails: Type.Object({ waiting: Type.Integer(), failed: Type.Integer() }),
    }, {
      examples: [{
        minutes: [BUCKET],
        hours: [BUCKET],
        days: [BUCKET],
        totals: { countedAt: AT, accounts: 1_200, withSecondFactor: 480, sessions: 950 },
        sessionsByHour: [{ at: AT, sessions: 950 }],
        sessionsByDay: [{ at: AT, sessions: 950 }],
        passwords: { running: 1, waiting: 0 },
        mails: { waiting: 0, failed: 0 },
      }],
    })),
    ...READ_FAILURES,
  },
}
