import { Type } from '@sinclair/typebox'

export const text = (description: string, options = {}) => Type.String({ description, ...options })
/** Can also be given as a file: see secret-files.ts. */
export const secret = (description: string, options = {}) => text(description, { secret: true, ...options })
export const number = (description: string, options: object) => Type.Integer({ description, minimum: 1, ...options })
export const oneOf = <const T extends string>(values: T[], description: string, options: object) =>
  Type.Union(values.map(value => Type.Literal(value)), { description, ...options })
