import t from 'tap'
import { createTotpKey, stepOf } from '../../../src/factors/totp.ts'
import { codeOf } from '../../support/second-factor.ts'

const NOW = 1_800_000_015_000
const STEP = Math.floor(NOW / 30_000)

t.test('the key: 160 bits, as text, link and QR code', async t => {
  const { secret, uri, qr } = createTotpKey('Acme: Auth', 'ada')
  t.match(secret, /^[A-Z2-7]{32}$/)
  t.equal(uri, `otpauth://totp/Acme%20Auth:ada?secret=${secret}&issuer=Acme%20Auth`)
  t.match(qr, /^<svg [^]+<\/svg>$/)
  t.not(createTotpKey('Acme', 'ada').secret, secret)
})

t.test('the RFC 6238 test vectors for SHA-1, their last six digits', async t => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  for (const [seconds, code] of [
    [59, '287082'], [1_111_111_109, '081804'], [1_111_111_111, '050471'], [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ] as const) {
    t.equal(stepOf(secret, code, seconds * 1_000), Math.floor(seconds / 30), String(seconds))
  }
})

t.test('one step before and after, and no further', async t => {
  const { secret } = createTotpKey('Acme', 'ada')
  for (const edge of [STEP * 30_000, NOW, STEP * 30_000 + 29_999]) {
    const steps = [-2, -1, 0, 1, 2].map(offset => stepOf(secret, codeOf(secret, offset, edge), edge))
    t.strictSame(steps, [undefined, STEP - 1, STEP, STEP + 1, undefined], String(edge))
  }
})

t.test('what is no code', async t => {
  const { secret } = createTotpKey('Acme', 'ada')
  const code = codeOf(secret, 0, NOW)
  t.equal(stepOf(secret, `${code.slice(0, 3)} ${code.slice(3)}`, NOW), STEP, 'a space is no mistake')
  for (const each of ['', code.slice(1), `${code}0`, `${code.slice(0, 5)}x`, '-00001', '１２３４５６']) {
    t.equal(stepOf(secret, each, NOW), undefined, each)
  }
})
