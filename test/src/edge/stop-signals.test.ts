import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { BASE_SETTINGS, createDatabase } from '../../support/build.ts'
import { gatehouse } from '../../support/process.ts'

const LISTENING = /Server listening at http/

/** As npm does after Ctrl-C: the same signal again, as soon as the first has been handled. */
const REPEATED = "process.once('SIGINT', () => setImmediate(() => process.kill(process.pid, 'SIGINT')))"

t.test('the same signal twice at once: stops in order (0)', async t => {
  const { settings } = await createDatabase(t)
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(REPEATED)}`
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, NODE_OPTIONS })
  t.teardown(() => service.child.kill('SIGKILL'))
  await service.until(LISTENING)
  service.child.kill('SIGINT')
  t.match(await service.ended, { code: 0, stdout: /"msg":"stopping"/ })
})

t.test('a second signal after more than a second: exits at once (1)', async t => {
  const { settings } = await createDatabase(t)
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, DRAIN_SECONDS: '15' })
  t.teardown(() => service.child.kill('SIGKILL'))
  await service.until(LISTENING)
  service.child.kill('SIGTERM')
  await service.until(/"msg":"stopping"/)
  await sleep(1_500)
  service.child.kill('SIGTERM')
  t.match(await service.ended, { code: 1 })
})
