import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import bcrypt from 'bcrypt'
import t from 'tap'
import {
  disagreements, inLanes, LANES, loadNative, malformedHashesThatMatch, openLanes,
} from '../support/native/agreement.ts'
import { randomSample } from '../support/native/random-checks.ts'

const check = openLanes()

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
      t.strictSame(await inLanes(check, samples), samples.map(({ matches }) => matches), `vector ${index}`)
    }
    const wrong = Buffer.concat([sample.password, Buffer.from('x')]).subarray(-72)
    t.strictSame(await inLanes(check, [sample, { password: wrong, hash }]), [true, false])
  }
})

t.test('random passwords: agrees with the bcrypt package', async t => {
  t.strictSame(await disagreements(check, 300, () => 4), [])
})

t.test('costs 4 to 9, together and in any order', async t => {
  const samples = await Promise.all([9, 4, 8, 5, 7, 6].map(randomSample))
  for (const four of [samples.slice(0, 4), samples.slice(2, 6), samples.slice(0, 2)]) {
    for (const cost of [4, 7, 10]) t.strictSame(await inLanes(check, four, cost), four.map(({ matches }) => matches))
  }
})

t.test('malformed hashes: none matches that bcrypt refuses', async t => {
  t.strictSame(await malformedHashesThatMatch(check, 400), [])
})

t.test('other arguments: a TypeError, and the next call works', async t => {
  const hash = bcrypt.hashSync('x', 4)
  const password = Buffer.from('x')
  const CALLS: unknown[][] = [
    [],
    [password, hash],
    [[password], [hash], 4],
    ['x', hash, 4],
    [null, hash, 4],
    [Buffer.alloc(73), hash, 4],
    [password, null, 4],
    [password, hash, 32],
    [password, hash, 'x'],
    [password, hash + 'x', 4],
    [password, hash + 'é', 4],
    [password, hash + '🔑', 4],
    [password, hash.replace('$2', 'Ĥ2'), 4],
    ...['00', '03', '32', '99', '4$'].map(cost => [password, hash.replace('$04', `$${cost}`), 4]),
  ]
  const call = check as (...args: unknown[]) => unknown
  for (const args of CALLS) t.throws(() => call(...args), TypeError, JSON.stringify(args))
  t.equal(await check(password, hash, 4), true)
  const open = loadNative().open as (...args: unknown[]) => unknown
  for (const args of [[], [1, 4], [0, 4, 0], [257, 4, 0], [1, 0, 0], [1, 5, 0], ['x', 4, 0], [1, 4, 'x']]) {
    t.throws(() => open(...args), TypeError, JSON.stringify(args))
  }
})

t.test('inputs are copied: they may change while the check runs', async t => {
  const [hash, passwords] = [bcrypt.hashSync('x', 6), [Buffer.from('x'), Buffer.from('x')]]
  const results = passwords.map(password => check(password, hash, 6))
  for (const password of passwords) password.fill(0)
  t.strictSame(await Promise.all(results), [true, true])
})

t.test('a password joins those that are being checked, and leaves before them', async t => {
  const [short, long] = [bcrypt.hashSync('x', 4), bcrypt.hashSync('x', 12)]
  const ended: string[] = []
  const lasting = check(Buffer.from('x'), long, 4).then(matches => { ended.push(`long ${matches}`) })
  for (let time = 0; time < 5; time++) ended.push(`short ${await check(Buffer.from('x'), short, 4)}`)
  await lasting
  t.strictSame(ended, [...Array(5).fill('short true'), 'long true'])
})

t.test('a hash of a lower cost takes as many rounds as the others', async t => {
  const [cheap, current] = [bcrypt.hashSync('x', 4), bcrypt.hashSync('x', 9)]
  const ended: string[] = []
  await Promise.all([['current', current], ['cheap', cheap], ['wrong', cheap]].map(async ([name = '', hash = '']) => {
    await check(Buffer.from(name === 'wrong' ? 'y' : 'x'), hash, 9)
    ended.push(name)
  }))
  t.equal(ended[0], 'current', 'it began first')
})

t.test('the next one gets the thread that is free', async t => {
  const [short, long] = [bcrypt.hashSync('x', 4), bcrypt.hashSync('x', 12)]
  const two = loadNative().open(2, 1, 0)
  const ended: number[] = []
  await Promise.all([long, short, short, short].map(async (hash, number) => {
    await two(Buffer.from('x'), hash, 4)
    ended.push(number)
  }))
  t.strictSame(ended, [1, 2, 3, 0])
})

t.test('a process ends when nothing is being checked, and not before', async t => {
  const hash = bcrypt.hashSync('x', 8)
  const script = `
    const check = require(${JSON.stringify(LANES)}).open(2, 4, 0)
    check(Buffer.from('x'), '${hash}', 4).then(console.log)`
  const { status, stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 60_000 })
  t.match({ status, stdout }, { status: 0, stdout: 'true\n' })
})

t.test('worker threads: several at once, and one that ends while it checks', async t => {
  const script = `
    const { parentPort, workerData: { file, hash } } = require('node:worker_threads')
    const check = require(file).open(2, 4, 0)
    const both = Promise.all(['x', 'y'].map(password => check(Buffer.from(password), hash, 4)))
    both.then(results => parentPort.postMessage(results))
    for (let i = 0; i < 20; i++) check(Buffer.from('x'), hash, 14)`
  const workerData = { file: LANES, hash: bcrypt.hashSync('x', 4) }
  const results = await Promise.all([1, 2, 3].map(async () => {
    const worker = new Worker(script, { eval: true, workerData })
    const [result] = await once(worker, 'message')
    await worker.terminate()
    return result
  }))
  t.strictSame(results, Array(3).fill([true, false]))
  t.equal(await check(Buffer.from('x'), workerData.hash, 4), true)
})

t.test('worker threads: the last one that has loaded it ends, and the process goes on', async t => {
  const worker = `
    const check = require(${JSON.stringify(LANES)}).open(4, 4, 0)
    Promise.all(Array.from({ length: 16 }, () => check(Buffer.from('x'), '$2b$04$' + '.'.repeat(53), 4)))`
  const script = `
    const { Worker } = require('node:worker_threads')
    let left = 30
    const next = () => left-- > 0 && new Worker(${JSON.stringify(worker)}, { eval: true }).once('exit', next)
    next()`
  const { status, signal } = spawnSync(process.execPath, ['-e', script], { timeout: 60_000 })
  t.match({ status, signal }, { status: 0, signal: null })
})
