import { randomBytes } from 'node:crypto'

const random = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '')

const HASHES = [
  () => `$2b$10$${randomBytes(40).toString('base64').replace(/[+=]/g, '.').slice(0, 53)}`,
  () => `$argon2id$v=19$m=19456,t=2,p=1$${random(16)}$${random(32)}`,
  () => `$pbkdf2-sha256$i=600000$${random(16)}$${random(32)}`,
  () => `$scrypt$ln=14,r=8,p=1$${random(16)}$${random(32)}`,
]

/** An account for `gatehouse user import`, with one of four kinds of hashes. */
export const accountRow = (number: number) => ({
  username: `person${number}`,
  email: `person${number}@example.com`,
  name: `Person ${number}`,
  external_id: `customer-${number}`,
  email_verified: true,
  password_hash: HASHES[number % HASHES.length]?.() as string,
})
