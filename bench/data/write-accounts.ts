// node bench/data/write-accounts.ts 1000000 accounts.ndjson: a file for `gatehouse user import`, with four kinds of
// hashes.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const [count = '1000', file = 'accounts.ndjson'] = process.argv.slice(2)
const random = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '')

const HASHES = [
  () => `$2b$10$${randomBytes(40).toString('base64').replace(/[+=]/g, '.').slice(0, 53)}`,
  () => `$argon2id$v=19$m=19456,t=2,p=1$${random(16)}$${random(32)}`,
  () => `$pbkdf2-sha256$i=600000$${random(16)}$${random(32)}`,
  () => `$scrypt$ln=14,r=8,p=1$${random(16)}$${random(32)}`,
]

const output = createWriteStream(file)
for (let number = 0; number < Number(count); number++) {
  const account = {
    username: `person${number}`,
    email: `person${number}@example.com`,
    name: `Person ${number}`,
    email_verified: true,
    password_hash: HASHES[number % HASHES.length]?.(),
  }
  if (!output.write(`${JSON.stringify(account)}\n`)) await once(output, 'drain')
}
output.end()
