import type { FastifyInstance } from 'fastify'

/**
 * Claims for headers and cookies that only the service can write. What is signed ends with their purpose, as in
 * signed-cookie.ts. Signing the same claims again gives the same text.
 */
export function signedClaims<Claims extends object> (
  purpose: string,
  { signCookie, unsignCookie }: Pick<FastifyInstance, 'signCookie' | 'unsignCookie'>
) {
  const ending = `.~${purpose}`

  return {
    write: (claims: Claims): string =>
      signCookie(Buffer.from(JSON.stringify(claims)).toString('base64url') + ending),

    read (text: string | undefined): Claims | undefined {
      const { valid, value } = unsignCookie(text ?? '')
      if (!valid || !value.endsWith(ending)) return undefined
      return JSON.parse(Buffer.from(value.slice(0, -ending.length), 'base64url').toString())
    },
  }
}
