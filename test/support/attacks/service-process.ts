import { readdirSync, readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { NO_LIMITS } from '../browser.ts'
import { BASE_SETTINGS, createDatabase } from '../build.ts'
import { gatehouse } from '../process.ts'

/** The service in its own process, without rate limits, which would hide other weaknesses. */
export async function startService (t: Test) {
  const { owner, settings } = await createDatabase(t)
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...NO_LIMITS, ...settings })
  const { child, until, output } = service
  t.teardown(() => {
    child.kill('SIGKILL')
    return service.ended
  })
  const [, url = ''] = await until(/Server listening at (http:\/\/127\.0\.0\.1:\d+)/)

  return {
    url,
    owner,
    log: () => output.stdout,
    openFiles: () => readdirSync(`/proc/${child.pid}/fd`).length,
    memoryInMegabytes: () =>
      Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
  }
}

export type Service = Awaited<ReturnType<typeof startService>>
