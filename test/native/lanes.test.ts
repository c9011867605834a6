import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import bcrypt from 'bcrypt'
import t from 'tap'
import { disagreements, inLanes, LANES, loadNative, malformedHashesThatMatch } from '../support/native/agreement.ts'
import { randomSample } from '../support/native/random-checks.ts'

const native = loadNative()

/** From OpenBSD, jBCrypt and crypt_blowfish. */
const VECTORS: Array<[password: string | Buffer, hash: string]> = [
  ['', '$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s.'],
  ['', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
  ['a', '$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe'],
  ['abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
  ['abcdefghijklmnopqrstuvwxyz', '$2a$06$.rCVZVOThsIa97pEDOxvGuRRgzG64bvtJ0938xuqzv18d3ZpQhstC'],
  ['~!@#$%^&*()      ~!@#$%^&*()PNBFRD', '$2a$06$fPIsBO8qRqkjj273rfaOI.HtSV9jLDpTbZn782DC6/t7qT67P6FfO'],
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
  ['U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  [Buffer.from('ffffa3', 'hex'), '$2a$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e'],
  [Buffer.alloc(72, 0xaa), '$2a$05$/OK.fbVrR/bpIqNJ5ianF.swQOIzjOiJ9GHEPuhEkvqrUyvWhEMx6'],
  [
    '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
  ],
]

t.test('published test vectors, in each lane beside other passwords', async t => {
  for (const [index, [password, hash]] of VECTORS.entries()) {
    t.equal(hash.length, 60)
    const sample = { password: Buffer.from(password), hash }
    for (let lane = 0; lane < 4; lane++) {
      const samples = await Promise.all([0, 1, 2, 3].map(() => randomSample(4)))
      samples[lane] = { ...sample, matches: true }
      t.strictSame(await inLanes(native, samples), samples.map(({ matches }) => matches), `vector ${index}`)
    }
    const wrong = Buffer.concat([sample.password, Buffer.from('x')]).subarray(-72)
    t.strictSame(await inLanes(native, [sample, { password: wrong, hash }]), [true, false])
  }
})

t.test('random passwords: agrees with the bcrypt package', async t => {
  t.strictSame(await disagreements(native, 300, () => 4), [])
})

t.test('costs 4 to 9, together and in any order', async t => {
  const samples = await Promise.all([9, 4, 8, 5, 7, 6].map(randomSample))
  for (const four of [samples.slice(0, 4), samples.slice(2, 6), samples.slice(0, 2)]) {
    for (const cost of [4, 7, 10]) t.strictSame(await inLanes(native, four, cost), four.map(({ matches }) => matches))
  }
})

t.test('malformed hashes: none matches that bcrypt refuses', async t => {
  t.strictSame(await malformedHashesThatMatch(native, 400), [])
})

t.test('other arguments: a TypeError, and the next call works', async t => {
  const hash = bcrypt.hashSync('x', 4)
  const password = Buffer.from('x')
  const CALLS: unknown[][] = [
    [],
    [[password], [hash]],
    [[], [], 4],
    [[password], [], 4],
    [Array(5).fill(password), Array(5).fill(hash), 4],
    [['x'], [hash], 4],
    [[Buffer.alloc(73)], [hash], 4],
    [[password, null], [hash, hash], 4],
    [[password], [null], 4],
    [[password], [hash], 32],
    [[password], [hash], 'x'],
    [[password], [hash + 'x'], 4],
    [[password], [hash + 'é'], 4],
    [[password], [hash + '🔑'], 4],
    [[password], [hash.replace('$2', 'Ĥ2')], 4],
    ...['00', '03', '32', '99', '4$'].map(cost => [[password], [hash.replace('$04', `$${cost}`)], 4]),
  ]
  const call = native.check as (...args: unknown[]) => unknown
  for (const args of CALLS) t.throws(() => call(...args), TypeError, JSON.stringify(args))
  const thrower = [null]
  Object.defineProperty(thrower, 0, { get () { throw new RangeError('mine') } })
  t.throws(() => call(thrower, [hash], 4), RangeError)
  t.strictSame(await native.check([password], [hash], 4), [true])
})

t.test('inputs are copied: they may change while the check runs', async t => {
  const password = Buffer.from('x')
  const hashes = [bcrypt.hashSync('x', 6), bcrypt.hashSync('y', 6)]
  const passwords = [password, Buffer.from('y')]
  const result = native.check(passwords, hashes, 6)
  password.fill(0)
  hashes.reverse()
  passwords.length = 0
  t.strictSame(await result, [true, true])
})

t.test('worker threads: several at once, and one that ends while it checks', async t => {
  const script = `
    const { parentPort, workerData: { file, hash } } = require('node:worker_threads')
    const { check } = require(file)
    check([Buffer.from('x'), Buffer.from('y')], [hash, hash], 4).then(result => parentPort.postMessage(result))
    for (let i = 0; i < 8; i++) check([Buffer.from('x')], [hash], 9)`
  const workerData = { file: LANES, hash: bcrypt.hashSync('x', 4) }
  const results = await Promise.all([1, 2, 3].map(async () => {
    const worker = new Worker(script, { eval: true, workerData })
    const [result] = await once(worker, 'message')
    await worker.terminate()
    return result
  }))
  t.strictSame(results, Array(3).fill([true, false]))
  t.strictSame(await native.check([Buffer.from('x')], [workerData.hash], 4), [true])
})
