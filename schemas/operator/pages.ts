import { Type } from '@sinclair/typebox'
import { response } from '../common.ts'

/** Not part of the API. */
export const OperatorPageSchema = {
  hide: true,
  response: { 200: response('The page. It contains nothing private.', Type.Unsafe<Buffer>(Type.String())) },
}
