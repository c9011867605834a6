import { execFileSync } from 'node:child_process'
import t from 'tap'
import { BASE_SETTINGS, createDatabase } from '../support/build.ts'
import { HANG_TIMEOUT } from '../support/patience.ts'
import { gatehouse } from '../support/process.ts'

const MODULE = new URL('../../src/free-memory.ts', import.meta.url).href

/** In a process of its own: this one holds what other tests have left. */
const LOADS = `
  import { setTimeout as sleep } from 'node:timers/promises'
  import { keepMemoryLow } from '${MODULE}'
  const heapMb = () => process.memoryUsage().heapTotal / 2 ** 20
  let garbage
  async function load (name) {
    garbage = Array.from({ length: 1_000_000 }, (_, number) => ({ number }))
    const before = heapMb()
    garbage = undefined
    if (name === 'start') keepMemoryLow(100)
    while (heapMb() > before - 30) await sleep(20)
    console.log(name)
    // Some checks later it knows how little is needed.
    await sleep(500)
  }
  await load('start')
  await load('load')`

/** Writes a line when V8 has been told to return memory. */
const WATCH = `
  import { Session } from 'node:inspector/promises'
  const { post } = Session.prototype
  Session.prototype.post = async function (method) {
    await post.call(this, method)
    console.log('done: ' + method)
  }`

t.test('memory that nothing uses any more is returned, also after another load', async t => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', LOADS], {
    encoding: 'utf8',
    timeout: HANG_TIMEOUT,
  })
  t.equal(output, 'start\nload\n')
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
