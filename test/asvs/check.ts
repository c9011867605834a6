// TEST_RUN=… node test/asvs/check.ts: fails unless every test that the map cites has passed in this run.
import { loadResults } from '../runner/test-results.ts'
import { unprovenCitations } from './citations.ts'
import { MAP } from './map.ts'

const run = process.env.TEST_RUN
if (!run) throw new Error('TEST_RUN is missing: the suites write their results under this name.')
const problems = unprovenCitations(loadResults(run))
for (const problem of problems) console.log(`not ok - ${problem}`)
const cited = Object.values(MAP).filter(({ tests }) => tests.length > 0).length
if (problems.length === 0) console.log(`ASVS: all tests that ${cited} rows cite have passed in this run.`)
process.exitCode = problems.length === 0 ? 0 : 1
