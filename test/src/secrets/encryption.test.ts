import { randomBytes } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import t from 'tap'
import { createSealing } from '../../../src/secrets/encryption.ts'

const [OLD, NEW, OTHER] = [1, 2, 3].map(() => randomBytes(64).toString('base64url')) as [string, string, string]
const before = createSealing('keys', { JWT_SECRET: OLD })
const changed = createSealing('keys', { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD })

t.test('opens with the present and the previous secret, seals with the present one', async t => {
  const sealed = await before.seal('a secret', 'one')
  t.match(decodeProtectedHeader(sealed), { alg: 'dir', enc: 'A256GCM' })
  t.notOk(Buffer.from(sealed, 'base64url').includes('a secret'))
  t.not(await before.seal('a secret', 'one'), sealed, 'never the same text twice')
  t.strictSame(await before.open(sealed, 'one'), { text: 'a secret', isOutdated: false })
  t.strictSame(await changed.open(sealed, 'one'), { text: 'a secret', isOutdated: true })
  const resealed = await changed.seal('a secret', 'one')
  t.strictSame(await changed.open(resealed, 'one'), { text: 'a secret', isOutdated: false })
})

t.test('does not open: another secret, purpose or name, a changed text', async t => {
  const sealed = await before.seal('a secret', 'one')
  t.equal(await createSealing('keys', { JWT_SECRET: OTHER }).open(sealed, 'one'), undefined)
  t.equal(await createSealing('other', { JWT_SECRET: OLD }).open(sealed, 'one'), undefined)
  t.equal(await before.open(sealed, 'two'), undefined)
  const parts = sealed.split('.')
  for (const index of [0, 2, 3, 4]) {
    const { length } = Buffer.from(parts[index] ?? '', 'base64url')
    const changed = parts.with(index, randomBytes(length).toString('base64url'))
    t.equal(await before.open(changed.join('.'), 'one'), undefined)
  }
  t.equal(await before.open('', 'one'), undefined)
})
