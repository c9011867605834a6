import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProviderA } from '../../../demo/provider-a.ts'
import { createUser } from '../browser.ts'
import { fakeClock, withoutFaketime } from './fake-clock.ts'
import type { FaultTargets } from './fault-table.ts'
import { startDependencies, type Teardown } from './dependencies.ts'
import { startProxy } from './tcp-proxy.ts'
import { startService } from './service.ts'

/** Instances on the same dependencies. A row that needs a special instance names it. */
export async function startFixture (t: Teardown) {
  const parts = await startDependencies(t)
  const provider = await startProviderA({
    clientId: 'gatehouse',
    clientSecret: 'pr0vider-Secret',
    redirectUri: 'http://gatehouse.test/api/auth/provider-a/callback',
  })
  t.teardown(provider.stop)
  const proxy = await startProxy(t, Number(new URL(provider.url).port))
  const throughProxy = (path: string) => `http://127.0.0.1:${proxy.port}${path}`
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-clock-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const clock = fakeClock(join(dir, 'clock'))
  const fullDisk = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(fullDisk))
  const settings = {
    ...provider.settings,
    PROVIDER_A_TOKEN_URL: throughProxy('/token'),
    PROVIDER_A_USERINFO_URL: throughProxy('/me'),
  }
  const crashes: string[] = []
  const start = (more: Record<string, string>, stdout?: number) =>
    startService(t, parts, { ...settings, ...more }, what => crashes.push(what), stdout)

  return {
    user: await createUser(parts.database.owner),
    crashes,
    targets: { ...parts, provider: proxy, skewClock: clock.skew } satisfies Omit<FaultTargets, 'service'>,
    services: {
      ordinary: await start({}),
      'with its own clock': withoutFaketime ? undefined : await start(clock.env),
      'with a full log disk': await start({ LOG_LEVEL: 'trace' }, fullDisk),
      'that refuses without revocations': await start({ REVOCATION_FEED_LOST: 'refuse' }),
    },
  }
}
