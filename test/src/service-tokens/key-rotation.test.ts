import t from 'tap'
import {
  clientKey, currentKey, planRotation, type KeyState, type RotationPlan,
} from '../../../src/service-tokens/key-rotation.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const NOTHING: RotationPlan = { addIn: undefined, promote: [], note: [], retire: [], remove: [] }

function key (kid: string, state: Partial<KeyState> = {}): KeyState {
  return { kid, algorithm: 'EdDSA', signsIn: -DAY, openedAgo: 10, retiredAgo: null, ...state }
}
const isForeign = ({ kid }: KeyState) => kid.startsWith('foreign')
const current = key('current')
const next = key('next', { signsIn: 10 })

const CASES: Array<[what: string, keys: KeyState[], plan: Partial<RotationPlan>]> = [
  ['no key: one that signs at once', [], { addIn: 0 }],
  ['a key that signs', [current], {}],
  ['just before the last hour', [key('current', { signsIn: HOUR + 1 - 30 * DAY })], {}],
  ['in the last hour: the next one', [key('current', { signsIn: HOUR - 30 * DAY })], { addIn: HOUR }],
  ['in the last hour, with a next one', [key('current', { signsIn: 1 - 30 * DAY }), next], {}],
  ['another algorithm', [key('current', { algorithm: 'ES256' })], { addIn: HOUR }],
  ['another algorithm, with a next one of it', [
    key('current', { algorithm: 'ES256' }), key('next', { algorithm: 'ES256', signsIn: 10 }),
  ], { addIn: HOUR }],
  ['another algorithm, with a next one of ours', [key('current', { algorithm: 'ES256' }), next], {}],
  ['the next one signs: the current one retires', [current, key('next', { signsIn: 0 })], { retire: ['current'] }],
  ['a retired key whose tokens may be valid', [key('previous', { retiredAgo: 400 }), current], {}],
  ['a retired key whose tokens have expired', [key('old', { retiredAgo: 421 }), current], { remove: ['old'] }],
  ['the current one was withdrawn: the next one signs', [next], { promote: ['next'] }],
  ['opened a minute ago', [key('current', { openedAgo: 61 })], { note: ['current'] }],
  ['a key that others can open', [key('foreign')], { addIn: 0 }],
  ['a key that others can open, beside our own', [current, key('foreign', { signsIn: -5 })], {}],
  ['a key that no instance can open', [key('foreign', { openedAgo: 301 })], { addIn: 0, retire: ['foreign'] }],
]

for (const [what, keys, plan] of CASES) {
  t.test(what, async t => {
    t.strictSame(planRotation(keys, key => !isForeign(key), 'EdDSA'), { ...NOTHING, ...plan })
  })
}

t.test('the latest key whose time has come signs', async t => {
  const keys = [key('previous', { retiredAgo: 1 }), key('older'), key('newer', { signsIn: -1 }), key('foreign'), next]
  t.equal(currentKey(keys, key => !isForeign(key))?.kid, 'newer')
  t.equal(currentKey([next], () => true), undefined)
})

t.test('for clients: the latest ES256 key whose time has come, or the first one', async t => {
  const choose = (...keys: KeyState[]) => clientKey(keys, key => !isForeign(key))?.kid
  const es256 = (kid: string, state: Partial<KeyState> = {}) => key(kid, { algorithm: 'ES256', ...state })
  const later = es256('later', { signsIn: 10 })
  t.equal(choose(es256('older'), es256('newer', { signsIn: -1 }), es256('foreign'), later), 'newer')
  t.equal(choose(current, later, es256('latest', { signsIn: 20 })), 'later', 'before its time')
  t.equal(choose(es256('previous', { retiredAgo: 1 }), current, next), undefined)
})
