import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { MAP } from './map.ts'
import { asvsMarkdown } from './markdown.ts'
import { ofLevel, REQUIRED } from './requirements.ts'
import { findTest } from './titles.ts'

t.test('the requirements are those of ASVS 5.0', async t => {
  t.strictSame([1, 2, 3].map(level => ofLevel(level).length), [70, 183, 92])
})

t.test('every requirement of levels 1 and 2 has one entry', async t => {
  t.strictSame(Object.keys(MAP).sort(), REQUIRED.map(({ id }) => id).sort())
})

t.test('every cited test exists, every other status has a reason', async t => {
  for (const [id, { status, tests, why }] of Object.entries(MAP)) {
    for (const test of tests) t.doesNotThrow(() => findTest(test), `${id}: ${test}`)
    t.ok(status === 'shown' ? tests.length > 0 : why, id)
  }
})

t.test('docs/asvs.md is up to date with `npm run generate`', async t => {
  t.equal(readFileSync(join(import.meta.dirname, '../../docs/asvs.md'), 'utf8'), asvsMarkdown())
})
