// npm run bench [-- --quick] [-- --only logins,refresh]: compares the service with its peers.
import { providePrograms } from '../demo/programs.ts'
import type { Bench } from './bench.ts'
import { installPeers, installService } from './environment/install.ts'
import { startGenerator } from './load/generator.ts'
import { measureAccess } from './measures/access.ts'
import { measureBeside } from './measures/beside.ts'
import { measureDeviceBound } from './measures/device-bound.ts'
import { measureFootprint } from './measures/footprint.ts'
import { growDatabases, measureGrowth, type Grown } from './measures/growth.ts'
import { measureHealth } from './measures/health.ts'
import { measureImport } from './measures/import.ts'
import { measureIsolation } from './measures/isolation.ts'
import { measureLanes } from './measures/lanes.ts'
import { measureLogins } from './measures/logins.ts'
import { measureMillion } from './measures/million.ts'
import { measureOffice } from './measures/office.ts'
import { measureOpenid } from './measures/openid.ts'
import { measurePrepare } from './measures/prepare.ts'
import { measureRefresh } from './measures/refresh.ts'
import { measureSearch } from './measures/search.ts'
import { measureSignOut } from './measures/sign-out.ts'
import { measureWebhooks } from './measures/webhooks.ts'
import { parseOptions, type MeasureId } from './options.ts'
import { busyShare } from './environment/processor-time.ts'
import { createProgress } from './report/progress.ts'
import { report } from './report/report.ts'
import type { Result } from './figures/results.ts'
import { setStage } from './environment/stage.ts'

const options = parseOptions(process.argv.slice(2))
const progress = createProgress()
const ends: Array<() => unknown> = []
const onEnd = (end: () => unknown) => {
  ends.unshift(end)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    finish().finally(() => process.exit(1))
  })
}

async function finish () {
  progress.clear()
  while (ends.length > 0) await ends.shift()?.()
}

try {
  progress('installing', 'the peers')
  installPeers()
  progress('installing', 'the service, as its image has it')
  const service = installService()
  const busy = await busyShare()
  const isBusy = busy > 0.1
  if (isBusy) {
    console.warn(
      `Other processes use ${Math.round(busy * 100)} % of this machine: the ratios will be less exact, ` +
        'and docs/capacity.md keeps its figures.'
    )
  }
  progress('starting', 'PostgreSQL, Redis, a mail server')
  providePrograms(['redis-server'])
  const stage = await setStage(onEnd)
  const load = startGenerator(onEnd)
  let grown: Grown | undefined

  const MEASURES: Record<MeasureId, (bench: Bench) => Promise<Result[]>> = {
    logins: measureLogins,
    lanes: measureLanes,
    beside: measureBeside,
    office: measureOffice,
    access: measureAccess,
    health: measureHealth,
    refresh: measureRefresh,
    'device-bound': measureDeviceBound,
    openid: measureOpenid,
    prepare: measurePrepare,
    webhooks: measureWebhooks,
    million: measureMillion,
    search: measureSearch,
    import: measureImport,
    'sign-out': measureSignOut,
    isolation: measureIsolation,
    // The data of growth is created during the idle minute of footprint.
    footprint: bench =>
      measureFootprint(
        bench,
        options.only.includes('growth')
          ? async () => {
            grown = await growDatabases(stage)
          }
          : undefined
      ),
    growth: async bench => measureGrowth(bench, grown ?? (await growDatabases(stage))),
  }

  const results: Result[] = []
  for (const [id, measure] of Object.entries(MEASURES)) {
    if (!options.only.includes(id as MeasureId)) continue
    const endings: Array<() => unknown> = []
    try {
      results.push(
        ...(await measure({
          options,
          stage,
          service,
          load,
          progress: what => progress(id, what),
          onEnd: end => {
            endings.unshift(end)
          },
          async start (starting) {
            const program = await starting
            endings.unshift(program.stop)
            return program
          },
        }))
      )
    } finally {
      for (const end of endings) await end()
    }
  }
  await report(results, options, stage, isBusy)
} finally {
  await finish()
}
