import { Type } from '@sinclair/typebox'
import { MAX_BYTES, MAX_DEPTH } from '../src/accounts/data.ts'

/** The rest of its rules is in src/accounts/data.ts: a schema counts no bytes. */
export const AccountData = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: `What applications keep about the user: a JSON object of at most ${MAX_BYTES} bytes, counted in UTF-8 ` +
    `and without spaces, with at most ${MAX_DEPTH} levels`,
})
