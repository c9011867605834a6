import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { keepMemoryLow } from '../../src/free-memory.ts'
import { BASE_SETTINGS, createDatabase } from '../support/build.ts'
import { eventually, gatehouse } from '../support/process.ts'

const heapMb = () => process.memoryUsage().heapTotal / 2 ** 20
const allocate = (): unknown[] => Array.from({ length: 1_000_000 }, (_, number) => ({ number }))

/** Writes a line when V8 has been told to return memory. */
const WATCH = `
  import { Session } from 'node:inspector/promises'
  const { post } = Session.prototype
  Session.prototype.post = async function (method) {
    await post.call(this, method)
    console.log('done: ' + method)
  }`

const isBelow = (mb: number) => () => heapMb() < mb

t.test('memory that nothing uses any more is returned, also after another load', async t => {
  let garbage = allocate()
  const afterStart = heapMb()
  garbage = []
  keepMemoryLow(100)
  t.ok(await eventually(isBelow(afterStart - 30), Boolean, 2_000), 'after the start')
  // Some checks later it knows how little is needed.
  await sleep(500)

  garbage = allocate()
  const afterLoad = heapMb()
  garbage = []
  t.ok(await eventually(isBelow(afterLoad - 30), Boolean, 2_000), `after a load, with ${garbage.length} objects left`)
})

t.test('the service does so after its start', async t => {
  const { settings } = await createDatabase(t)
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(WATCH)}`
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, NODE_OPTIONS })
  t.teardown(() => service.child.kill('SIGKILL'))
  await service.until(/Server listening at http[^]+done: HeapProfiler.collectGarbage/)
  service.child.kill('SIGTERM')
  t.match(await service.ended, { code: 0 })
})
