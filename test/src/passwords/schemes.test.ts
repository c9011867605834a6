import { scryptSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import bcrypt from 'bcrypt'
import t, { type Test } from 'tap'
import { Overloaded } from '../../../src/errors.ts'
import { costsOfRounds, createMeasuredWork } from '../../../src/passwords/measured-work.ts'
import { parseForeignHash } from '../../../src/passwords/schemes/foreign-hash.ts'
import { UnusableHash } from '../../../src/passwords/schemes/phc.ts'
import { createVerifier } from '../../../src/passwords/verifier.ts'
import { createBrowser, createUser, hashOf, PASSWORD } from '../../support/browser.ts'
import { build, buildShared, secrets } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { FIREBASE, FIREBASE_HASH, KNOWN_HASHES } from '../../support/import-export/known-hashes.ts'

secrets.add(FIREBASE.password)
const B64 = 'c2FsdHNhbHRzYWx0MTIzNA'
const DIGEST = 'H1sIebbTGNeoVbi+nT/Y+HQyQVnzUsNmHEbOXHZ4HUo'

t.test('hashes that other programs made: the password signs in once, then the hash is ours', async t => {
  const { app, owner } = await buildShared(t)
  const ours = await hashOf(PASSWORD)
  const cases: Array<[name: string, hash: string, password: string]> = [
    ...Object.entries(KNOWN_HASHES).map(([name, hash]) => [name, hash, PASSWORD] as [string, string, string]),
    ['firebase', FIREBASE_HASH, FIREBASE.password],
  ]
  for (const [name, hash, password] of cases) {
    const { id, username } = await createUser(owner, { password_hash: hash })
    const browser = createBrowser(app)
    t.equal((await browser.signIn(username, `${password}x`)).statusCode, 401, `${name}: a wrong password`)
    t.equal((await browser.signIn(username, '')).statusCode, 400, `${name}: none`)
    t.equal((await browser.signIn(username, password)).statusCode, 200, name)
    const { rows: [user] } = await owner.query('SELECT password_hash FROM users WHERE id = $1', [id])
    t.match(user.password_hash, /^\$2b\$04\$/, `${name}: renewed`)
    t.equal((await browser.signIn(username, password)).statusCode, 200, `${name}: signs in again`)
  }
  for (const version of ['2a', '2b', '2y']) {
    const hash = ours.replace('$2b$', `$${version}$`)
    t.equal(await app.passwords.verify(PASSWORD, hash), true, version)
    t.equal(await app.passwords.verify('wrong', hash), false, version)
  }
})

t.test('scrypt, form=nfkc: the password in another Unicode form is the same', async t => {
  const { passwords } = (await buildShared(t)).app
  const composed = 'caf\u00e9-\u00c5ngstr\u00f6m'
  const digest = scryptSync(composed, Buffer.from(B64, 'base64'), 32, { N: 1024 })
  const hash = (form: string) => `$scrypt$ln=10,r=8,p=1${form}$${B64}$${digest.toString('base64')}`
  t.equal(await passwords.verify('cafe\u0301-\u212bngstro\u0308m', hash(',form=nfkc')), true)
  t.equal(await passwords.verify('cafe\u0301-\u212bngstro\u0308m', hash('')), false)
})

t.test('hostile and unknown hashes: refused, and never verified', async t => {
  const { passwords } = (await buildShared(t)).app
  const HOSTILE: Record<string, [hash: string, reason: RegExp]> = {
    'billion memory': [`$argon2id$v=19$m=1073741824,t=1,p=1$${B64}$${DIGEST}`, /m is more than 131072/],
    'many passes': [`$argon2id$v=19$m=131072,t=64,p=1$${B64}$${DIGEST}`, /too much time/],
    'many passes of little memory': [`$argon2id$v=19$m=8,t=65,p=1$${B64}$${DIGEST}`, /t is more than 64/],
    'argon2 version 16': [`$argon2id$v=16$m=1024,t=2,p=1$${B64}$${DIGEST}`, /version 19/],
    'argon2, no version': [`$argon2id$m=1024,t=2,p=1$${B64}$${DIGEST}`, /version 19/],
    'many lanes': [`$argon2id$v=19$m=131072,t=1,p=16777215$${B64}$${DIGEST}`, /p is more than 16/],
    'too little memory for its lanes': [`$argon2id$v=19$m=8,t=1,p=2$${B64}$${DIGEST}`, /eight times p/],
    'short salt': [`$argon2id$v=19$m=1024,t=1,p=1$c2FsdA$${DIGEST}`, /salt/],
    argon2d: [`$argon2d$v=19$m=1024,t=1,p=1$${B64}$${DIGEST}`, /known scheme/],
    'scrypt memory': [`$scrypt$ln=18,r=8,p=1$${B64}$${DIGEST}`, /too much memory/],
    'scrypt time': [`$scrypt$ln=17,r=8,p=3$${B64}$${DIGEST}`, /too much time/],
    'scrypt ln': [`$scrypt$ln=63,r=1,p=1$${B64}$${DIGEST}`, /ln is more than 20/],
    'scrypt r': [`$scrypt$ln=1,r=33,p=1$${B64}$${DIGEST}`, /r is more than 32/],
    'scrypt p': [`$scrypt$ln=1,r=8,p=17$${B64}$${DIGEST}`, /p is more than 16/],
    'firebase p': [FIREBASE_HASH.replace('p=1', 'p=17'), /p is more than 16/],
    negative: [`$scrypt$ln=-1,r=8,p=1$${B64}$${DIGEST}`, /not a number/],
    'not whole': [`$scrypt$ln=1.5,r=8,p=1$${B64}$${DIGEST}`, /not a number/],
    'in exponents': [`$pbkdf2-sha256$i=1e9$${B64}$${DIGEST}`, /not a number/],
    'many iterations': [`$pbkdf2-sha256$i=4000000000$${B64}$${DIGEST}`, /i is more than/],
    'many iterations of a long digest': [
      `$pbkdf2-sha1$i=2800000$${B64}$${Buffer.alloc(64).toString('base64')}`, /too much time/,
    ],
    'wrong length': [`$pbkdf2-sha256$i=1000,l=20$${B64}$${DIGEST}`, /another length/],
    'unknown digest': [`$pbkdf2-md5$i=1000$${B64}$${DIGEST}`, /known scheme/],
    'one byte': [`$pbkdf2-sha256$i=1000$${B64}$AA`, /fewer than 16 bytes/],
    'no digest': [`$pbkdf2-sha256$i=1000$${B64}$`, /fewer than 16 bytes/],
    'long digest': [`$pbkdf2-sha256$i=1$${B64}$${Buffer.alloc(129).toString('base64')}`, /too long/],
    'not base64': [`$pbkdf2-sha256$i=1000$${B64}$${DIGEST.slice(1)}\0`, /not base64/],
    'unknown parameter': [`$pbkdf2-sha256$i=1000,x=1$${B64}$${DIGEST}`, /unknown parameter/],
    prototype: [`$__proto__$i=1000$${B64}$${DIGEST}`, /known scheme/],
    'of Object': [`$constructor$i=1000$${B64}$${DIGEST}`, /known scheme/],
    'firebase, other key': [FIREBASE_HASH.replace(FIREBASE.signerKey, 'AAAA'), /signer key/],
    'firebase memory': [FIREBASE_HASH.replace('n=14', 'n=20'), /too much memory/],
    long: [`$pbkdf2-sha256$i=1000$${B64}$${'A'.repeat(10_000_000)}`, /known form/],
    words: ['swordfish', /known form/],
    md5: ['$1$salt$qJH7.N4xYta3aEG/dfqo/0', /known|fewer/],
  }
  for (const [name, [hash, reason]] of Object.entries(HOSTILE)) {
    t.throws(() => parseForeignHash(hash), { constructor: UnusableHash, message: reason }, name)
    t.equal(await passwords.verify(PASSWORD, hash), false, name)
  }
})

t.test('a sample takes as long, and has nothing of the hash', async t => {
  for (const hash of [...Object.values(KNOWN_HASHES), FIREBASE_HASH]) {
    const { sample, ...foreign } = parseForeignHash(hash)
    const parsed = parseForeignHash(sample)
    t.match(parsed, { scheme: foreign.scheme, memory: foreign.memory, work: foreign.work, sample })
    t.equal(await parsed.verify(PASSWORD), false)
    for (const secret of [...hash.split(/[$,]/).slice(-2), FIREBASE.signerKey]) t.notOk(sample.includes(secret), sample)
  }
})

/** Asks again where the queue was too long: beside busy programs, hashing takes many times as long. */
async function untilChecked (check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof Overloaded)) throw error
    return untilChecked(check)
  }
}

/** Counts the rounds of bcrypt, because a busy machine distorts the time. */
function countRounds (t: Test) {
  const { compare } = bcrypt
  t.teardown(() => { bcrypt.compare = compare })
  const counted = { rounds: 0 }
  bcrypt.compare = ((password: string, hash: string) => {
    counted.rounds += 2 ** bcrypt.getRounds(hash)
    return compare(password, hash)
  }) as typeof compare
  return counted
}

t.test('a foreign hash that is cheaper than bcrypt: the rest is made up for', async t => {
  const { passwords } = (await build(t, { settings: { BCRYPT_COST: '9', HASHING_LANES: '1' } })).app
  const hash = `$pbkdf2-sha256$i=1$${B64}$${DIGEST}`
  await passwords.verify('wrong', hash)
  const counted = countRounds(t)
  await passwords.verify('wrong', hash)
  t.ok(counted.rounds > 256 && counted.rounds <= 512, `${counted.rounds} rounds of 512`)
  t.equal(passwords.decoyCost, 9)
})

t.test('a foreign hash that takes longer than bcrypt: every wrong password takes as long', async t => {
  const { passwords } = (await build(t, { settings: { HASHING_LANES: '1' } })).app
  // Not more: beside busy programs its time is measured as many times as long, and the decoys take as much more.
  await passwords.prepareFor(`$pbkdf2-sha256$i=80000$${B64}$${DIGEST}`)
  const cost = passwords.decoyCost
  t.ok(cost > 4 && cost <= 15, `decoys of cost ${cost}`)
  const counted = countRounds(t)
  for (const hash of [undefined, await hashOf(PASSWORD), await hashOf(PASSWORD, 5)]) {
    counted.rounds = 0
    t.equal(await passwords.verify('wrong', hash), false)
    t.equal(counted.rounds, 2 ** cost)
  }
  counted.rounds = 0
  t.equal(await passwords.verify(PASSWORD, await hashOf(PASSWORD)), true)
  t.equal(counted.rounds, 16, 'the right one does not')
})

t.test('a hash of bcrypt that costs more than ours: every wrong password takes as long', async t => {
  const { passwords } = (await build(t, { settings: { HASHING_LANES: '1' } })).app
  await passwords.prepareFor(`$2y$06$${'.'.repeat(53)}`)
  t.equal(passwords.decoyCost, 6)
  const counted = countRounds(t)
  t.equal(await passwords.verify('wrong', await hashOf(PASSWORD)), false)
  t.equal(counted.rounds, 2 ** 6)
})

t.test('memory-hard hashes: two at once, the others wait', async t => {
  const { passwords } = (await build(t, { settings: { HASHING_THREADS: '4' } })).app
  const hash = `$argon2id$v=19$m=8192,t=2,p=1$${B64}$${DIGEST}`
  let most = 0
  const watch = setInterval(() => { most = Math.max(most, passwords.queue.running) }, 1)
  t.teardown(() => clearInterval(watch))
  const all = Array.from({ length: 8 }, () => untilChecked(() => passwords.verify('wrong', hash)))
  t.strictSame(await Promise.all(all), Array(8).fill(false))
  t.ok(most <= 2, `${most} at once`)
})

t.test('rounds of bcrypt: split into costs, and measured by the fastest', async t => {
  const total = (rounds: number) => costsOfRounds(rounds).reduce((sum, cost) => sum + 2 ** cost, 0)
  for (const rounds of [0, 16, 48, 1024, 4096 - 256]) t.equal(total(rounds), rounds)
  for (const rounds of [-500, 7, -Infinity, NaN]) t.strictSame(costsOfRounds(rounds), [])
  t.equal(total(1000), 1008)
  const work = createMeasuredWork(5)
  await work.timeBcrypt(4, async () => {})
  t.equal(work.isCalibrated, false, 'too cheap to be measured')
  await work.timeBcrypt(5, async () => {})
  t.equal(work.isCalibrated, true)
  for (const time of [1, 2, 3]) {
    await work.timeForeign('a', async () => {})
    t.equal(work.mostRounds > 0, time === 3)
  }
})

t.test('a first measurement that other work of the machine delayed: later ones correct it', async t => {
  const verifier = createVerifier(4)
  const foreign = parseForeignHash(`$pbkdf2-sha256$i=1$${B64}$${DIGEST}`)
  await verifier.calibrate({ ...foreign, verify: () => sleep(400, false) })
  t.ok(verifier.cost > 4, `as if it took cost ${verifier.cost}`)
  await eventually(() => verifier.calibrate(foreign).then(() => verifier.cost), cost => cost === 4)
  verifier.raiseTo(6)
  await verifier.calibrate(foreign)
  t.equal(verifier.cost, 6, 'hashes of bcrypt are not measured')
})

t.test('imported hashes: the slowest of each scheme is kept, and prepared for', async t => {
  const { app, owner } = await build(t)
  const { database, importedHashes, passwords, prepareDecoys } = app
  const noted = ['i=1000', 'i=60000', 'i=50'].map(i => parseForeignHash(`$pbkdf2-sha256$${i}$${B64}$${DIGEST}`))
  await importedHashes.note(database, noted)
  await importedHashes.note(database, [{ scheme: 'bcrypt', sample: `$2b$06$${'.'.repeat(53)}`, work: 6 }])
  const { rows } = await owner.query('SELECT sample FROM imported_hashes ORDER BY scheme DESC')
  t.match(rows[0].sample, '$pbkdf2-sha256$i=60000,l=32$')
  t.equal(rows.length, 2)
  t.equal(passwords.decoyCost, 4)
  await prepareDecoys()
  t.ok(passwords.decoyCost >= 6, String(passwords.decoyCost))
})
