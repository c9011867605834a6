import { randomBytes } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import t from 'tap'
import { createEncryption } from '../../../src/secrets/encryption.ts'

const [OLD, NEW, OTHER] = [1, 2, 3].map(() => randomBytes(64).toString('base64url')) as [string, string, string]
const before = createEncryption('keys', { JWT_SECRET: OLD })
const changed = createEncryption('keys', { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD })

t.test('decrypts with the present and the previous secret, encrypts with the present one', async t => {
  const encrypted = await before.encrypt('a secret', 'one')
  t.match(decodeProtectedHeader(encrypted), { alg: 'dir', enc: 'A256GCM' })
  t.notOk(Buffer.from(encrypted, 'base64url').includes('a secret'))
  t.not(await before.encrypt('a secret', 'one'), encrypted, 'never the same text twice')
  t.strictSame(await before.decrypt(encrypted, 'one'), { text: 'a secret', isOutdated: false })
  t.strictSame(await changed.decrypt(encrypted, 'one'), { text: 'a secret', isOutdated: true })
  const again = await changed.encrypt('a secret', 'one')
  t.strictSame(await changed.decrypt(again, 'one'), { text: 'a secret', isOutdated: false })
})

t.test('does not decrypt: another secret, purpose or name, a changed text', async t => {
  const encrypted = await before.encrypt('a secret', 'one')
  t.equal(await createEncryption('keys', { JWT_SECRET: OTHER }).decrypt(encrypted, 'one'), undefined)
  t.equal(await createEncryption('other', { JWT_SECRET: OLD }).decrypt(encrypted, 'one'), undefined)
  t.equal(await before.decrypt(encrypted, 'two'), undefined)
  const parts = encrypted.split('.')
  for (const index of [0, 2, 3, 4]) {
    const { length } = Buffer.from(parts[index] ?? '', 'base64url')
    const changed = parts.with(index, randomBytes(length).toString('base64url'))
    t.equal(await before.decrypt(changed.join('.'), 'one'), undefined)
  }
  t.equal(await before.decrypt('', 'one'), undefined)
})
