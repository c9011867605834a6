import type { Test } from 'tap'
import { startProviderA } from '../../../demo/provider-a.ts'
import { createUser } from '../browser.ts'
import type { MailServer, Teardown } from '../faults/dependencies.ts'
import { startService, type Service } from '../faults/service.ts'
import type { Proxy } from '../faults/tcp-proxy.ts'
import { startSmtp } from '../smtp.ts'
import { startHaproxy } from './haproxy.ts'
import { startPostgresPair } from './postgres-pair.ts'
import { REDIS_TOPOLOGIES, type RedisTopology } from './redis-topologies.ts'

/** What a row may act on. */
export interface FailoverTargets {
  service: Service
  mail: MailServer
  postgres: Awaited<ReturnType<typeof startReplicatedPostgres>>
  redis: Pick<RedisTopology, 'killPrimary'>
}

/** A primary and its standby behind HAProxy, and what an operator does when the primary is gone. */
export async function startReplicatedPostgres (t: Teardown, options?: { synchronous: boolean }) {
  const { primary, standby, replication } = await startPostgresPair(t, options)
  const haproxy = await startHaproxy(t, { a: primary.port, b: standby.port })
  return {
    primary,
    standby,
    replication: replication as Proxy,
    /** For the settings of an instance. */
    port: haproxy.port,
    url: (port: number) => primary.url.replace(`:${primary.port}/`, `:${port}/`),
    killPrimary: primary.kill,
    stopPrimary: primary.stop,
    async promoteStandby () {
      await haproxy.command('set server postgres/a state maint')
      await standby.promote()
      await haproxy.command('set server postgres/b state ready')
    },
  }
}

export async function startFailoverFixture (t: Test, topology: keyof typeof REDIS_TOPOLOGIES) {
  const provider = await startProviderA({
    clientId: 'gatehouse',
    clientSecret: 'pr0vider-Secret',
    redirectUri: 'http://gatehouse.test/api/auth/provider-a/callback',
  })
  t.teardown(provider.stop)
  const [postgres, redis, mail] = await Promise.all([
    startReplicatedPostgres(t),
    REDIS_TOPOLOGIES[topology](t),
    startSmtp(t),
  ])
  const crashes: string[] = []
  const parts = { database: postgres, counters: redis, mail }
  const settings = { ...provider.settings, REDIS_URL: redis.url }
  const service = await startService(t, parts, settings, what => crashes.push(what))
  return {
    crashes,
    user: await createUser(postgres.primary.owner),
    targets: { service, mail, postgres, redis } satisfies FailoverTargets,
  }
}
