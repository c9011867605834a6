import { Type } from '@sinclair/typebox'

export const Failure = Type.Object({
  error: Type.String({ maxLength: 100 }),
  message: Type.String({ maxLength: 1000 }),
})
