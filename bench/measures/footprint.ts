import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { BROWSERS, startGatehouse } from '../contenders/contenders.ts'
import { flood } from '../workloads/flood.ts'
import type { Result } from '../figures/results.ts'
import { judged, spread } from '../figures/rounds.ts'
import { signIns } from '../workloads/sign-ins.ts'
import { accessTokens } from '../data/tokens.ts'

const STARTS = 5

/** `meanwhile` runs during the minute in which the service is idle. */
export async function measureFootprint (bench: Bench, meanwhile?: () => Promise<unknown>): Promise<Result[]> {
  const {
    load,
    options: { quick },
    service,
    stage,
  } = bench
  const starts: number[] = []
  for (let n = 1; n <= STARTS; n++) {
    bench.progress(`start ${n} of ${STARTS}`)
    const started = await startGatehouse(stage, service.program, 10)
    starts.push(started.readyAfter)
    await started.stop()
  }

  const gatehouse = await bench.start(startGatehouse(stage, service.program, 10))
  await sleep(2_000)
  const idle = gatehouse.residentMb()

  bench.progress('a flood of logins')
  await flood(gatehouse, load)
  const flooded = gatehouse.residentMb()
  bench.progress(quick ? 'ten idle seconds' : 'an idle minute')
  const wait = sleep(quick ? 10_000 : 60_000)
  await meanwhile?.()
  await wait
  const later = gatehouse.residentMb()

  const seconds = quick ? 4 : 15
  bench.progress('soak: logins, then access checks')
  await signIns(gatehouse, load, { connections: BROWSERS, seconds })
  await load({
    ...gatehouse.check,
    cookies: accessTokens(50_000).map(token => ({ access_token: token })),
    connections: BROWSERS,
    seconds,
  })
  const soaked = gatehouse.residentMb()

  const one = (value: number) => spread([value])
  return [
    {
      id: 'footprint',
      title: 'Footprint',
      ratios: [
        { ...judged('resident memory, idle', [idle], { atMost: 100 }), unit: 'MB' },
        { ...judged('resident memory after the flood', [flooded], { atMost: 180 }), unit: 'MB' },
        judged(`resident memory ${quick ? 'ten seconds' : 'a minute'} later ÷ idle`, [later / idle], { atMost: 1.2 }),
        {
          ...judged(
            'start to ready',
            starts.map(ms => ms / 1_000),
            { atMost: 0.8 }
          ),
          unit: 's',
        },
      ],
      figures: [
        { label: 'resident, idle', unit: 'MB', ...one(idle) },
        { label: 'resident, after the flood', unit: 'MB', ...one(flooded) },
        { label: `resident, ${quick ? 'ten seconds' : 'a minute'} later`, unit: 'MB', ...one(later) },
        { label: 'resident, after a soak', unit: 'MB', ...one(soaked) },
        { label: 'production install', unit: 'MB', ...one(service.sizeMb) },
      ],
    },
  ]
}
