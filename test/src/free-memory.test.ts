import t from 'tap'
import { runInNewContext } from 'node:vm'
import { freeMemory } from '../../src/free-memory.ts'
import { BASE_SETTINGS, createDatabase } from '../support/build.ts'
import { gatehouse } from '../support/process.ts'

const heapMb = () => process.memoryUsage().heapTotal / 2 ** 20

/** Writes the flags of V8 that the service sets. */
const WATCH_FLAGS = `
  import { syncBuiltinESMExports } from 'node:module'
  import v8 from 'node:v8'
  const set = v8.setFlagsFromString
  v8.setFlagsFromString = flag => {
    set(flag)
    console.log('V8 flag: ' + flag)
  }
  syncBuiltinESMExports()`

t.test('memory that nothing uses any more is returned, and the flag is off again', async t => {
  const garbage: unknown[] = Array.from({ length: 1_000_000 }, (_, number) => ({ number }))
  const before = heapMb()
  garbage.length = 0
  freeMemory()
  t.ok(heapMb() < before - 30, `${before} MB before, ${heapMb()} MB after`)
  t.equal(runInNewContext('typeof gc'), 'undefined')
})

t.test('the service does so after its start', async t => {
  const { settings } = await createDatabase(t)
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(WATCH_FLAGS)}`
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, NODE_OPTIONS })
  t.teardown(() => service.child.kill('SIGKILL'))
  await service.until(/Server listening at http[^]+V8 flag: --no-expose-gc/)
  service.child.kill('SIGTERM')
  t.match(await service.ended, { code: 0 })
})
