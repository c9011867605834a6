// tap runs this once before the test files. Afterwards this process ends, so the servers belong to another one.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const child = fork(join(import.meta.dirname, 'keep.ts'), [String(process.ppid)], {
  detached: true,
  execArgv: [],
  // Without what tap adds to the environment of `before` in order to measure coverage.
  env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '', _TAPJS_PROCESSINFO_COVERAGE_: '0' },
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
})
const ended = once(child, 'exit').then(() => {
  throw new Error('PostgreSQL and Redis did not start')
})
await Promise.race([once(child, 'message'), ended])
child.disconnect()
child.unref()
