import { Type } from '@sinclair/typebox'
import { response, failures, dateTime } from './common.ts'
import { SIGNED_IN } from './documentation.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

const WELCOME = { slug: 'welcome', title: 'Welcome', publishedAt: '2026-01-31T09:00:00.000Z' }

const Summary = Type.Object({
  slug: Type.String(),
  title: Type.String(),
  publishedAt: dateTime('When it was published'),
}, { title: 'ContentSummary' })

const Article = Type.Object({ ...Summary.properties, body: Type.String() }, {
  title: 'Content',
  examples: [{ ...WELCOME, body: 'Only signed-in users can read this.' }],
})

export const ListContentSchema = {
  summary: 'List the content',
  description: 'At most the newest 100 articles.',
  tags: ['Content'],
  security: SIGNED_IN,
  response: {
    200: response('The published articles, newest first.', Type.Object({ content: Type.Array(Summary) }, {
      examples: [{ content: [WELCOME] }],
    })),
    ...failures(401, 503),
    ...TOO_MANY_REQUESTS,
  },
}

export const ReadContentSchema = {
  summary: 'Read an article',
  tags: ['Content'],
  security: SIGNED_IN,
  params: Type.Object({
    slug: Type.String({
      pattern: '^[a-z0-9-]+$',
      maxLength: 100,
      description: 'Lowercase letters, digits and hyphens',
    }),
  }),
  response: { 200: response('The article.', Article), ...failures(400, 401, 404, 414, 503), ...TOO_MANY_REQUESTS },
}
