import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'

export const JWT_SECRET = randomBytes(64).toString('base64url')

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs as the service does, so that many sessions can be created without sign-ins. */
function sign (claims: object): string {
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${content}.${createHmac('sha256', JWT_SECRET).update(content).digest('base64url')}`
}

function mint (use: 'access' | 'refresh', user: number, sid: string = randomUUID()): string {
  const iat = Math.floor(Date.now() / 1_000)
  return sign({
    userId: String(user),
    username: `user${user}`,
    iat,
    exp: iat + 3_600,
    jti: randomUUID(),
    sid,
    use,
    ...(use === 'refresh' && { auth_time: iat, gen: 0 }),
  })
}

/** Access tokens of this many users. */
export const accessTokens = (people: number): string[] =>
  Array.from({ length: people }, (_, n) => mint('access', n + 1))

/** An access token and its session. */
export function accessToken (user: number, sid: string = randomUUID()): { value: string, sid: string } {
  return { value: mint('access', user, sid), sid }
}

/** A refresh token, its session and its digest in the database. */
export function refreshToken (user: number): { value: string, sid: string, digest: Buffer } {
  const sid = randomUUID()
  const value = mint('refresh', user, sid)
  return { value, sid, digest: createHash('sha256').update(value).digest() }
}
