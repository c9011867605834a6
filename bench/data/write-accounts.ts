// node bench/data/write-accounts.ts 1000000 accounts.ndjson: a file for `gatehouse user import`, with four kinds of
// hashes.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { accountRow } from './account-rows.ts'

const [count = '1000', file = 'accounts.ndjson'] = process.argv.slice(2)

const output = createWriteStream(file)
for (let number = 0; number < Number(count); number++) {
  if (!output.write(`${JSON.stringify(accountRow(number))}\n`)) await once(output, 'drain')
}
output.end()
