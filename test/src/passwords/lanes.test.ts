import { rmSync, writeFileSync } from 'node:fs'
import bcrypt from 'bcrypt'
import t from 'tap'
import type { Config } from '../../../src/config.ts'
import { checkHashing } from '../../../src/doctor/hashing.ts'
import { loadLanes } from '../../../src/passwords/lanes.ts'
import { copyNative } from '../../support/native/copy.ts'
import { malformedHash } from '../../support/native/random-checks.ts'

const SETTINGS = { HASHING_THREADS: 2, HASHING_LANES: 4 }

t.test('loadLanes: built by npm ci', async t => {
  const { lanes, reason } = await loadLanes(SETTINGS)
  t.equal(reason, undefined)
  t.equal(lanes?.max, 4)
  const hash = bcrypt.hashSync('Pässword 1', 4)
  const passwords = ['Pässword 1', 'Password 1', '', 'Pässword 1']
  t.strictSame(
    await Promise.all(passwords.map(password => lanes?.compare({ password, hash }, 5))),
    [true, false, false, true]
  )
  t.match(await checkHashing(SETTINGS as Config), [{ state: 'ok', message: /up to 4 passwords at once/ }])
})

t.test('HASHING_LANES=1: none, without a reason', async t => {
  t.strictSame(await loadLanes({ ...SETTINGS, HASHING_LANES: 1 }), {})
  t.match(await checkHashing({ ...SETTINGS, HASHING_LANES: 1 } as Config), [{ state: 'ok', message: /HASHING_LANES/ }])
})

t.test('accept: hashes as bcrypt writes them, of which no check throws', async t => {
  const { lanes } = await loadLanes(SETTINGS)
  const hash = bcrypt.hashSync('x', 4)
  for (const cost of ['04', '09', '10', '29', '31']) t.equal(lanes?.accept(hash.replace('$04', `$${cost}`)), true, cost)
  for (const cost of ['00', '03', '32', '99']) t.equal(lanes?.accept(hash.replace('$04', `$${cost}`)), false, cost)
  for (let i = 0; i < 500; i++) {
    const malformed = malformedHash(hash)
    const isExpensive = /^.{4}(?:0[89]|[1-3])/.test(malformed)
    if (!lanes?.accept(malformed) || isExpensive) continue
    t.type(await lanes.compare({ password: 'x', hash: malformed }, 4), 'boolean', malformed)
  }
})

t.test('loadLanes: off, with a reason, and a warning of doctor', async t => {
  const { compile, file, replace } = copyNative(t)

  async function isOff (pattern: RegExp) {
    const { lanes, reason } = await loadLanes(SETTINGS, file)
    t.equal(lanes, undefined)
    t.match(reason, pattern)
    const [finding] = await checkHashing(SETTINGS as Config, config => loadLanes(config, file))
    t.match(finding, { check: 'hashing', state: 'warning', message: /one password at a time: /, advice: /C compiler/ })
  }

  rmSync(file, { force: true })
  await isOff(/was not built/)
  writeFileSync(file, 'not a program')
  await isOff(/does not work: .*lanes\.node/)
  // A wrong digest, as if the compiler had made a mistake.
  replace('bcrypt.h', 'OrpheanBeholderScryDoubt', 'OrpheanBeholderScryDoubs')
  t.equal(compile(file).status, 0)
  await isOff(/does not work: a known hash was wrong/)
})
