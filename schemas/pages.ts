import { Type } from '@sinclair/typebox'
import { failures } from './common.ts'

const File = (description: string) => Type.Unsafe<Buffer>(Type.String({ description }))
const Nothing = (description: string) => Type.Unsafe<undefined>(Type.Null({ description }))

export const PageSchema = { response: { 200: File('The page, as HTML') } }

export const AssetSchema = {
  params: Type.Object({ '*': Type.String({ maxLength: 200 }) }),
  response: { 200: File('A script, a style sheet or a picture'), 304: Nothing('Not modified'), ...failures(400, 404) },
}

export const ChangePasswordPageSchema = { response: { 302: Nothing('Redirect') } }
