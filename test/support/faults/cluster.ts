import { eventually } from '../process.ts'
import type { Recorder } from './history.ts'
import { startParts, type Ending, type Parts } from './parts.ts'
import { startService, type Service } from './service.ts'

export interface Town extends Parts { services: Service[] }

const SERVICES = 2

export async function buildTown (t: Ending, recorder: Recorder): Promise<Town> {
  const parts = await startParts(t)
  const onCollapse = (what: string) => recorder.write({ type: 'collapse', what, at: recorder.now() })
  recorder.write({ type: 'life', part: 'redis', at: 0 })
  const services = await Promise.all(Array.from({ length: SERVICES }, () => {
    recorder.write({ type: 'life', part: 'service', at: 0 })
    return startService(t, parts, { LIMIT_ACCOUNT_MAX: '100000' }, onCollapse)
  }))
  return { ...parts, services }
}

export async function untilHealed ({ services }: Town, recorder: Recorder) {
  for (const service of services) {
    await eventually(() => isHealthy(service), Boolean, 30_000)
      .catch(() => recorder.write({ type: 'collapse', what: 'a service did not heal', at: recorder.now() }))
  }
}

async function isHealthy ({ port }: Service): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`).then(({ ok }) => ok, () => false)
}
