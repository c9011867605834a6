import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import t from 'tap'
import { JWT_SECRET } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'

t.test('HASHING_THREADS: the process has so many threads, and four for other work', async t => {
  const settings = { NODE_ENV: 'test', DATABASE_URL: 'postgres://127.0.0.1:1/x', JWT_SECRET, PORT: '0' }
  for (const [HASHING_THREADS, threads] of [['7', 11], ['', availableParallelism() + 4]] as const) {
    const service = gatehouse(['serve'], { ...settings, HASHING_THREADS })
    await service.until(/Server listening/)
    const names = () => readdirSync(`/proc/${service.child.pid}/task`)
      .map(id => readFileSync(`/proc/${service.child.pid}/task/${id}/comm`, 'utf8').trim())
    t.equal(await eventually(() => names().filter(name => name === 'libuv-worker').length, Boolean), threads)
    service.child.kill('SIGKILL')
    await service.ended
  }
})
