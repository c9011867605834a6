// Every curl command of docs/operators.md, run as it is written.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { createUser } from '../support/browser.ts'
import { buildOperator } from '../support/operator.ts'

const COMMANDS = [...readFileSync('docs/operators.md', 'utf8').matchAll(/^curl .*$/gm)].map(([command]) => command)

t.test('docs/operators.md: every curl command succeeds', async t => {
  const { operator, addKey, owner } = await buildOperator(t)
  const OPERATOR = await operator.listen({ host: '127.0.0.1', port: 0 })
  const { id: ID } = await createUser(owner)
  const env = { PATH: process.env.PATH, OPERATOR, ID, KEY: await addKey('docs') }
  t.ok(COMMANDS.length >= 9)
  for (const command of COMMANDS) {
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s -f -w '%{http_code}'`], { env })
    t.match(stdout, /20\d$/, command)
  }
})
