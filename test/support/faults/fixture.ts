import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProviderA } from '../../../demo/provider-a.ts'
import { createUser } from '../browser.ts'
import { fakeClock, withoutFaketime } from './fake-clock.ts'
import type { Stage } from './fault-table.ts'
import { startParts, type Ending } from './parts.ts'
import { startProxy } from './tcp-proxy.ts'
import { startService } from './service.ts'

/** Three instances on the same parts: rows that need a special one name it. */
export async function openTheatre (t: Ending) {
  const parts = await startParts(t)
  const provider = await startProviderA({
    clientId: 'gatehouse',
    clientSecret: 'pr0vider-Secret',
    redirectUri: 'http://gatehouse.test/api/auth/provider-a/callback',
  })
  t.teardown(provider.stop)
  const road = await startProxy(t, Number(new URL(provider.url).port))
  const throughRoad = (path: string) => `http://127.0.0.1:${road.port}${path}`
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-clock-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const clock = fakeClock(join(dir, 'clock'))
  const fullDisk = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(fullDisk))
  const settings = {
    ...provider.settings,
    PROVIDER_A_TOKEN_URL: throughRoad('/token'),
    PROVIDER_A_USERINFO_URL: throughRoad('/me'),
  }
  const collapses: string[] = []
  const start = (more: Record<string, string>, stdout?: number) =>
    startService(t, parts, { ...settings, ...more }, what => collapses.push(what), stdout)

  return {
    user: await createUser(parts.database.owner),
    collapses,
    stage: { ...parts, provider: road, skewClock: clock.skew } satisfies Omit<Stage, 'service'>,
    services: {
      ordinary: await start({}),
      'with a clock of its own': withoutFaketime ? undefined : await start(clock.env),
      'with a full disk for its log': await start({ LOG_LEVEL: 'trace' }, fullDisk),
    },
  }
}

export type Theatre = Awaited<ReturnType<typeof openTheatre>>
