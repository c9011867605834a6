/** In seconds: from an access check to the longest duration of a request. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Series { labels: Record<string, string>, buckets: Float64Array, sum: number }

/** Written as by prom-client, whose own histogram looks up the labels at each observation, which is slow. */
export function createDurationHistogram (name: string, help: string) {
  const all: Series[] = []

  function * samplesOf ({ labels, buckets, sum }: Series) {
    let count = 0
    for (const [index, observed] of buckets.entries()) {
      count += observed
      yield { metricName: `${name}_bucket`, labels: { ...labels, le: BOUNDS[index] ?? '+Inf' }, value: count }
    }
    yield { metricName: `${name}_sum`, labels, value: sum }
    yield { metricName: `${name}_count`, labels, value: count }
  }

  return {
    series (labels: Record<string, string>): (seconds: number) => void {
      const buckets = new Float64Array(BOUNDS.length + 1)
      const series: Series = { labels, buckets, sum: 0 }
      all.push(series)
      return function observe (seconds) {
        let index = 0
        while (index < BOUNDS.length && seconds > (BOUNDS[index] as number)) index++
        buckets[index] = (buckets[index] as number) + 1
        series.sum += seconds
      }
    },

    metric: {
      name,
      async get () {
        const values = all.flatMap(series => [...samplesOf(series)])
        return { name, help, type: 'histogram', aggregator: 'sum', values }
      },
    },
  }
}
