import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../support/stack.ts'
import { addResults, loadResults, readTap, type TestResult } from '../runner/test-results.ts'

const SAMPLES: Array<[what: string, tap: string, results: TestResult[]]> = [
  ['passed, with escaped characters', String.raw`TAP version 14
# Subtest: one \# two \\ three
    ok 1 - should be equal
    1..1
ok 1 - one \# two \\ three # time=68.381ms

1..1
`, [{ titles: [String.raw`one # two \ three`], state: 'passed' }]],
  ['failed', `TAP version 14
# Subtest: good
    ok 1 - should be equal
    1..1
ok 1 - good # time=1ms

# Subtest: bad
    ok 1 - should be equal
    not ok 2 - should be equal
      ---
      source: |
        ok 1 - forged # time=1ms
      ...
    1..2
not ok 2 - bad # time=2ms

1..2
`, [{ titles: ['good'], state: 'passed' }, { titles: ['bad'], state: 'failed' }]],
  ['skipped, to do, and a skipped assertion', `TAP version 14
ok 1 - left out # SKIP no browser here
ok 2 - later # TODO
# Subtest: half
    ok 1 - should be equal
    not ok 2 - the other half # SKIP no browser here
    1..2
ok 3 - half # time=1ms

1..3
`, [
    { titles: ['left out'], state: 'skipped' },
    { titles: ['later'], state: 'skipped' },
    { titles: ['half', 'the other half'], state: 'skipped' },
    { titles: ['half'], state: 'skipped' },
  ]],
  ['nested: what happens inside counts for the test around it', `TAP version 14
# Subtest: outer
    # Subtest: first
        ok 1 - should be equal
        1..1
    ok 1 - first # time=1ms

    # Subtest: second
        ok 1 - deepest # SKIP not here
        1..1
    ok 2 - second # time=1ms

    1..2
ok 1 - outer # time=1ms

# Subtest: next
    ok 1 - should be equal
    1..1
ok 2 - next # time=1ms

1..2
`, [
    { titles: ['outer', 'first'], state: 'passed' },
    { titles: ['outer', 'second', 'deepest'], state: 'skipped' },
    { titles: ['outer', 'second'], state: 'skipped' },
    { titles: ['outer'], state: 'skipped' },
    { titles: ['next'], state: 'passed' },
  ]],
  ['buffered', `TAP version 14
ok 1 - buffered # time=5ms {
    ok 1 - should be equal
    1..1
}

1..1
`, [{ titles: ['buffered'], state: 'passed' }]],
  ['passed, by what it did not throw', `TAP version 14
# Subtest: empty
    1..0
ok 1 - empty # time=0.288ms

1..1
`, [{ titles: ['empty'], state: 'passed' }]],
  ['an assertion is no test', `TAP version 14
ok 1 - the title of a test
1..1
`, []],
]

for (const [what, tap, results] of SAMPLES) {
  t.test(`TAP: ${what}`, async t => t.strictSame(readTap(tap), results))
}

t.test('TAP: a process that ended within a test: that test did not pass', async t => {
  const results = readTap(`TAP version 14
# Subtest: done
    ok 1 - should be equal
    1..1
ok 1 - done # time=1ms

# Subtest: cut off
    ok 1 - should be equal
`)
  t.match(results.find(({ titles }) => titles[0] === 'done'), { state: 'passed' })
  t.notOk(results.some(({ titles, state }) => titles[0] === 'cut off' && state === 'passed'))
})

t.test('results: suites of one run are put together, those of an earlier run are not used', async t => {
  const file = join(temporaryFolder(end => t.teardown(end)), 'tap/results.json')
  const passed: TestResult[] = [{ titles: ['x'], state: 'passed' }]
  t.strictSame(loadResults('first', file), {})
  addResults('first', { 'test/a.test.ts': passed }, file)
  addResults('first', { 'test/b.test.ts': passed }, file)
  t.strictSame(loadResults('first', file), { 'test/a.test.ts': passed, 'test/b.test.ts': passed })
  t.strictSame(loadResults('second', file), {})
  addResults('second', { 'test/c.test.ts': passed }, file)
  t.strictSame(loadResults('second', file), { 'test/c.test.ts': passed })
  t.strictSame(loadResults('first', file), {})
})
