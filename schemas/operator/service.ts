import { Type } from '@sinclair/typebox'
import { response, stringEnum } from '../common.ts'
import { READ_FAILURES, timestamp, timestampOrNull } from './common.ts'
import { WITH_KEY } from './documentation.ts'

const AT = '2026-01-31T09:00:00.000Z'

export const SigningKeysSchema = {
  summary: 'List the keys that sign tokens for other services',
  description: 'Needs the scope `keys:read`.',
  tags: ['Service'],
  security: WITH_KEY,
  response: {
    200: response('The keys.', Type.Object({
      keys: Type.Array(Type.Object({
        kid: Type.String(),
        algorithm: Type.String(),
        createdAt: timestamp('When it was created'),
        signsAt: timestamp('From when it signs'),
        retiredAt: timestampOrNull('Until when it signed'),
      }, { title: 'SigningKey' })),
    }, { examples: [{ keys: [{ kid: '3f6d', algorithm: 'EdDSA', createdAt: AT, signsAt: AT, retiredAt: null }] }] })),
    ...READ_FAILURES,
  },
}

const MAIL = {
  id: '0c5f2f9e-8a0d-4b3f-9c1e-5f1f2f3f4f5f',
  kind: 'reset',
  email: 'ada@example.com',
  state: 'waiting',
  retries: 2,
  createdAt: AT,
  dueAt: AT,
}

export const MailsSchema = {
  summary: 'List mails that wait or have failed',
  description: 'At most 100, the newest first. Needs the scope `mails:read`.',
  tags: ['Service'],
  security: WITH_KEY,
  response: {
    200: response('The mails.', Type.Object({
      mails: Type.Array(Type.Object({
        id: Type.String(),
        kind: Type.String(),
        email: Type.String(),
        state: stringEnum('waiting', 'failed'),
        retries: Type.Integer(),
        createdAt: timestamp('When it was queued'),
        dueAt: timestamp('When it is sent or tried again'),
      }, { title: 'Mail' })),
    }, { examples: [{ mails: [MAIL] }] })),
    ...READ_FAILURES,
  },
}
