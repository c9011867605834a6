import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { BASE_SETTINGS, createDatabase } from '../support/build.ts'
import { gatehouse } from '../support/process.ts'

const MODULE = new URL('../../src/tick-shape.ts', import.meta.url).href

/** Calls `process.nextTick` before and after collections that find no such call waiting. */
const TICKS = `
  const pause = () => new Promise(resolve => setTimeout(resolve, 10))
  const tick = () => new Promise(resolve => process.nextTick(resolve))
  await tick()
  for (let times = 0; times < 3; times++) {
    await pause()
    gc()
    await pause()
    await tick()
  }`

/** Writes a line for each use of the hook through which such a call can be kept. */
const WATCH = `
  import hooks from 'node:async_hooks'
  import { syncBuiltinESMExports } from 'node:module'
  const { createHook } = hooks
  hooks.createHook = function (options) {
    console.log('hook: ' + Object.keys(options))
    return createHook(options)
  }
  syncBuiltinESMExports()`

/** How often V8 has created the shape, from its own log. */
function shapes (program: string): number {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-v8-'))
  const log = join(dir, 'v8.log')
  const flags = ['--expose-gc', '--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`, '--input-type=module']
  try {
    execFileSync(process.execPath, [...flags, '--eval', program])
    return readFileSync(log, 'utf8').match(/^map,Transition,.*symbol\("trigger_async_id_symbol"/gm)?.length ?? 0
  } finally {
    rmSync(dir, { recursive: true })
  }
}

t.test('V8 creates the shape of a tick once, and without this again after each collection', async t => {
  const keep = `import { keepTickShape } from '${MODULE}'; keepTickShape();`
  t.equal(shapes(keep + TICKS), 1)
  t.equal(shapes(TICKS), 4)
})

t.test('the service keeps it from its start', async t => {
  const { settings } = await createDatabase(t)
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(WATCH)}`
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, NODE_OPTIONS })
  t.teardown(() => service.child.kill('SIGKILL'))
  await service.until(/hook: trackPromises,init[^]+Server listening at http/)
})
