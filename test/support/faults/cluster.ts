import { eventually } from '../patience.ts'
import type { Recorder } from './history.ts'
import { startDependencies, type Dependencies, type Teardown } from './dependencies.ts'
import { startService, type Service } from './service.ts'

/** Instances of the service on shared dependencies. */
export interface Cluster extends Dependencies { services: Service[] }

const SERVICES = 2

export async function startCluster (t: Teardown, recorder: Recorder): Promise<Cluster> {
  const parts = await startDependencies(t)
  const onCrash = (what: string) => recorder.write({ type: 'crash', what, at: recorder.now() })
  recorder.write({ type: 'start', part: 'redis', at: 0 })
  const services = await Promise.all(Array.from({ length: SERVICES }, () => {
    recorder.write({ type: 'start', part: 'service', at: 0 })
    return startService(t, parts, { LIMIT_ACCOUNT_MAX: '100000', OPENID: 'on' }, onCrash)
  }))
  return { ...parts, services }
}

export async function waitUntilHealthy (services: Service[], recorder: Recorder) {
  for (const service of services) {
    await eventually(() => isHealthy(service), Boolean)
      .catch(() => recorder.write({ type: 'crash', what: 'a service did not recover', at: recorder.now() }))
  }
}

async function isHealthy ({ port }: Service): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`).then(({ ok }) => ok, () => false)
}
