import t from 'tap'
import { batchesOf, findSuites } from './suites.ts'

const files = Object.values(findSuites()).flatMap(suite => suite.files)

t.test('all suites at once: every file runs once, and response times are measured alone', async t => {
  const batches = batchesOf(files)
  t.strictSame(batches.flatMap(({ files, beside, ahead }) => [...files, ...beside, ...ahead]).sort(), files.toSorted())
  t.equal(new Set(files).size, files.length)
  t.match(batches.at(-1), { files: [/^test\/timing\//], beside: [], ahead: [], jobs: 1 })
})
