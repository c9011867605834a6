import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Registry, type Metric } from 'prom-client'
import { createDurationHistogram } from './duration-histogram.ts'
import type { Meters } from './meters.ts'

/** A gauge that takes longer is unknown, so that it does not delay the others. */
const READ_TIMEOUT = 1_000

interface Prometheus extends Meters {
  contentType: string
  write (): Promise<string>
}

export function createPrometheus (): Prometheus {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  return {
    contentType: registry.contentType,
    write: () => registry.metrics(),

    counter (name, help, labels) {
      const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers })
      for (const values of combinationsOf(labels)) counter.inc(values, 0)
      return values => counter.inc(values)
    },

    gauge (name, help, read) {
      // eslint-disable-next-line no-new
      new Gauge({
        name,
        help,
        registers,
        async collect () {
          this.set(await Promise.race([read(), sleep(READ_TIMEOUT, NaN, { ref: false })]).catch(() => NaN))
        },
      })
    },

    durations (name, help) {
      const histogram = createDurationHistogram(name, help)
      registry.registerMetric(histogram.metric as unknown as Metric)
      return histogram.series
    },
  }
}

function combinationsOf (labels: Record<string, readonly string[]>): Array<Record<string, string>> {
  let combinations: Array<Record<string, string>> = [{}]
  for (const [name, values] of Object.entries(labels)) {
    combinations = combinations.flatMap(combination => values.map(value => ({ ...combination, [name]: value })))
  }
  return combinations
}
