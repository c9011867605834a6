import { Type } from '@sinclair/typebox'
import { failures, TooMany } from './common.ts'

const Summary = Type.Object({ slug: Type.String(), title: Type.String(), publishedAt: Type.String({ format: 'date-time' }) })
const Article = Type.Object({ ...Summary.properties, body: Type.String() })

export const ListContentSchema = { response: { 200: Type.Object({ content: Type.Array(Summary) }), ...failures(401, 503), 429: TooMany } }

export const ReadContentSchema = {
  params: Type.Object({ slug: Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 100 }) }),
  response: { 200: Article, ...failures(400, 401, 404, 503), 429: TooMany },
}
