import { createHmac } from 'node:crypto'
import { keysFor } from '../../src/secrets/derived-keys.ts'

/** Seconds. Longer than a round takes. */
const LIFETIME = 300

/** What the service sets after a signature by the key of a device, signed here as the service does. */
export function deviceProof (refreshToken: string, { secret, key }: { secret: string, key: string }): string {
  const { sid, gen } = JSON.parse(Buffer.from(refreshToken.split('.')[1] ?? '', 'base64url').toString())
  const proof = { sid, gen, key, exp: Math.floor(Date.now() / 1_000) + LIFETIME }
  const text = `${Buffer.from(JSON.stringify(proof)).toString('base64url')}.~device_proof`
  const [cookieKey = ''] = keysFor('cookies', { JWT_SECRET: secret })
  const signature = createHmac('sha256', cookieKey).update(text).digest('base64').replace(/=+$/, '')
  return encodeURIComponent(`${text}.${signature}`)
}
