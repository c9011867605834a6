import { Type } from '@sinclair/typebox'
import { response } from '../common.ts'
import { READ_FAILURES, timestamp, timestampOrNull } from './common.ts'
import { WITH_KEY } from './documentation.ts'

const AT = '2026-01-31T09:00:00.000Z'
const HASH = '5b1f8e0d4c7a2b3f9e6d1c0a8b7f4e3d2c1b0a9f8e7d6c5b4a3f2e1d0c9b8a7f'

const Latest = Type.Object({
  number: Type.Integer(),
  anchor: Type.String({ description: 'Number and hash, as `gatehouse audit anchor` prints it' }),
  sealedAt: timestamp('When it was made'),
}, { title: 'Seal' })

export const AuditSchema = {
  summary: 'See the state of the audit trail',
  description: 'Nothing is verified here. Needs the scope `audit:read`.',
  tags: ['Audit'],
  security: WITH_KEY,
  response: {
    200: response('The latest seal, and what is not sealed yet.', Type.Object({
      latest: Type.Unsafe<{ number: number, anchor: string, sealedAt: Date } | null>({
        anyOf: [Latest, { type: 'null' }],
        description: 'The latest seal, if there is one',
      }),
      since: timestampOrNull('When the oldest event under a seal happened'),
      waiting: Type.Integer({ description: 'Events that are not sealed yet, counted up to 10,000' }),
    }, {
      examples: [{ latest: { number: 912, anchor: `912:${HASH}`, sealedAt: AT }, since: AT, waiting: 3 }],
    })),
    ...READ_FAILURES,
  },
}

export const VerifyAuditSchema = {
  summary: 'Verify the latest part of the audit trail',
  description: 'Compares the newest 500 seals with their events, as `gatehouse audit verify` does with all. ' +
    'Needs the scope `audit:read`.',
  tags: ['Audit'],
  security: WITH_KEY,
  response: {
    200: response('What was found.', Type.Object({
      unbroken: Type.Boolean(),
      since: timestampOrNull('When the oldest event that was checked happened'),
      isComplete: Type.Boolean({ description: 'Whether all seals were checked' }),
      seals: Type.Integer({ description: 'How many were checked' }),
      events: Type.Integer({ description: 'How many were checked' }),
      problems: Type.Array(Type.String(), {
        maxItems: 100,
        description: 'What is wrong, such as `event 7: was changed`',
      }),
    }, {
      examples: [{ unbroken: true, since: AT, isComplete: true, seals: 12, events: 480, problems: [] }],
    })),
    ...READ_FAILURES,
  },
}
