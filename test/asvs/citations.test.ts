import t from 'tap'
import type { Results, State, TestResult } from '../runner/test-results.ts'
import { unprovenCitations } from './citations.ts'
import { notMet, shown } from './entry.ts'

const FILE = 'test/asvs/citations.test.ts'
const CITED = 'a cited test that passed proves its row, also inside another test'

const check = (results: Results, words: string) => unprovenCitations(results, {
  map: { '1.1.1': shown('…', `asvs/citations.test.ts#${words}`), '1.1.2': notMet('…', 'because') },
})
const result = (title: string, state: State, ...around: string[]): TestResult => ({ titles: [...around, title], state })

t.test('a cited test that passed proves its row, also inside another test', async t => {
  t.strictSame(check({ [FILE]: [result(CITED, 'passed')] }, 'passed proves'), [])
  t.strictSame(check({ [FILE]: [result(CITED, 'passed', 'around it')] }, 'passed proves'), [])
})

for (const state of ['failed', 'skipped'] as const) {
  t.test(`${state}: the row is named`, async t => {
    const line = `ASVS 1.1.1: "${CITED}" in ${FILE} is ${state}.`
    t.strictSame(check({ [FILE]: [result(CITED, state)] }, 'passed proves'), [line])
    t.strictSame(check({ [FILE]: [result(CITED, 'passed'), result(CITED, state)] }, 'passed proves'), [line])
  })
}

t.test('not run: no result, another title, the title of a parent, or another file', async t => {
  const others: Results[] = [
    {},
    { [FILE]: [] },
    { [FILE]: [result(`${CITED}, perhaps`, 'passed'), result('inside', 'passed', CITED)] },
    { 'test/asvs/asvs.test.ts': [result(CITED, 'passed')] },
  ]
  for (const results of others) t.match(check(results, 'passed proves'), [/^ASVS 1\.1\.1: "a cited .* did not run\.$/])
})

t.test('a title with values: at least one test has it, and all of them passed', async t => {
  const [one, another] = ['failed: the row is named', 'skipped: the row is named'] as const
  t.match(check({ [FILE]: [] }, 'the row is'), [/did not run/])
  t.strictSame(check({ [FILE]: [result(one, 'passed'), result(another, 'passed')] }, 'the row is'), [])
  t.match(check({ [FILE]: [result(one, 'passed'), result(another, 'failed')] }, 'the row is'), [/is failed/])
})

t.test('a citation without a test, or of two tests, is named', async t => {
  t.match(check({}, 'no such words anywhere'), [/^ASVS 1\.1\.1: .*: 0 tests have these words\.$/])
  t.match(check({}, 'passed'), [/^ASVS 1\.1\.1: .*: 2 tests have these words\.$/])
})

t.test('a title in test/support/ is proven by the test file that calls it', async t => {
  const map = { '1.1.1': shown('…', 'support/faults/check-history.ts#steps with faults') }
  const title = '40 steps with faults, seed 1: no invariant broken'
  t.strictSame(unprovenCitations({ 'test/faults/history.test.ts': [result(title, 'passed')] }, { map }), [])
  t.match(unprovenCitations({ 'test/faults/history.test.ts': [result(title, 'failed')] }, { map }), [/is failed/])
  t.match(unprovenCitations({ 'test/faults/history.test.ts': [] }, { map }), [/did not run/])
})

t.test('a part of the suites: only citations of its files are checked', async t => {
  const map = { '1.1.1': shown('…', 'asvs/citations.test.ts#passed proves') }
  t.strictSame(unprovenCitations({}, { files: ['test/asvs/asvs.test.ts'], map }), [])
  t.equal(unprovenCitations({}, { files: [FILE], map }).length, 1)
})
