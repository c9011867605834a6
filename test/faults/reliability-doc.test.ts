import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { faultTableMarkdown } from '../support/faults/fault-table-markdown.ts'
import { FAULTS } from '../support/faults/fault-table.ts'
import { FAILOVERS } from '../support/failover/failover-table.ts'
import { INVARIANTS } from '../support/faults/invariants.ts'

const DOC = `${import.meta.dirname}/../../docs/reliability.md`
const BETWEEN = /(<!-- fault table -->\n)[^]*(<!-- end of fault table -->)/

// UPDATE_DOCS=1 writes the table instead.
t.test('docs/reliability.md has the rows that are tested', async t => {
  const doc = readFileSync(DOC, 'utf8')
  const table = faultTableMarkdown([...FAULTS, ...FAILOVERS])
  const wanted = doc.replace(BETWEEN, (_, begin, end) => `${begin}${table}\n${end}`)
  if (process.env.UPDATE_DOCS) writeFileSync(DOC, wanted)
  else t.equal(doc, wanted)
  t.match(doc, BETWEEN)
  for (const name of Object.keys(INVARIANTS)) t.match(doc, `\`${name}\``)
})
