import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { build, redisUrl, withoutRedis } from '../support/build.ts'
import { metricOf, scrape } from '../support/scrape.ts'

interface Rule {
  alert: string
  expr: string
  annotations: { summary: string, action: string }
}
interface Panel {
  title: string
  targets?: Array<{ expr: string }>
}

const { groups } = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as { groups: Array<{ rules: Rule[] }> }
const rules = groups.flatMap(group => group.rules)
const { panels } = JSON.parse(readFileSync('deploy/grafana/gatehouse.json', 'utf8')) as { panels: Panel[] }

const QUESTIONS = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
]

/** Labels that Prometheus adds, and `le` of histogram buckets. */
const OF_PROMETHEUS = ['job', 'instance']

/** Every series of a service after a request for a page and one for an unknown path. */
async function seriesOfService (t: Test): Promise<string[]> {
  const { app } = await build(t, { settings: { METRICS_PORT: '0', REDIS_URL: await redisUrl(t) } })
  await app.inject('/health/live')
  return [...(await scrape((await app.metrics.listen()) as string)).keys()]
}

const withoutRanges = (expr: string) => expr.replace(/\[[^\]]*\]/g, '')
const metricsIn = (expr: string) =>
  withoutRanges(expr)
    .replace(/\{[^}]*\}/g, '')
    .match(/\b(?:gatehouse|nodejs|process)_\w+/g) ?? []

/** The selectors of a query, such as `name{label="value"}`. */
function selectorsIn (expr: string) {
  return [...expr.matchAll(/\b(\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', inside = '']) =>
    [...inside.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', comparison = '', value = '']) => ({
      metric,
      label,
      comparison,
      value,
    }))
  )
}

t.test('dashboard and alerts: every metric, label and value exists', { skip: withoutRedis }, async t => {
  const series = await seriesOfService(t)
  const metrics = new Set(series.map(metricOf))
  for (const [title, expr] of QUESTIONS) {
    if (title !== 'GatehouseInstanceDown') t.not(metricsIn(expr).length, 0, `${title} has a query`)
    for (const metric of metricsIn(expr)) t.ok(metrics.has(metric), `${title}: ${metric}`)
    for (const { metric, label, comparison, value } of selectorsIn(expr)) {
      if (OF_PROMETHEUS.includes(label)) continue
      const own = series.filter(each => metricOf(each) === metric)
      t.ok(
        own.some(each => each.includes(`${label}="`)),
        `${title}: ${metric} has ${label}`
      )
      if (comparison === '=') {
        t.ok(
          own.some(each => each.includes(`${label}="${value}"`)),
          `${title}: ${label}="${value}"`
        )
      }
      if (comparison !== '=~' || label === 'status') continue
      for (const choice of value.split('|')) {
        t.ok(
          own.some(each => each.includes(`${label}="${choice}"`)),
          `${title}: ${label}="${choice}"`
        )
      }
    }
  }
})

t.test('alerts: error rates leave out access checks, which need no PostgreSQL', async t => {
  const compared = selectorsIn(rules.find(({ alert }) => alert === 'GatehouseErrors')?.expr ?? '').filter(
    ({ label }) => label === 'route'
  )
  t.equal(compared.length, 2)
  for (const { comparison, value } of compared) {
    t.equal(comparison, '!~')
    for (const route of ['/api/auth/verify', '/health', '/health/ready']) t.match(route, new RegExp(`^(${value})$`))
    t.notMatch('/login', new RegExp(`^(${value})$`))
  }
})

t.test('dashboard: shows every metric of the service', { skip: withoutRedis }, async t => {
  const shown = new Set(
    panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr))).map(stem)
  )
  const told = new Set(
    (await seriesOfService(t))
      .map(metricOf)
      .filter(name => name.startsWith('gatehouse_'))
      .map(stem)
  )
  t.strictSame(
    [...told].filter(name => !shown.has(name)),
    []
  )
})

const stem = (metric: string) => metric.replace(/_(bucket|sum|count)$/, '')

t.test('alerts: each has a summary and an action', async t => {
  for (const { alert, annotations } of rules) t.match(annotations, { summary: /\w/, action: /\w.*\.$/ }, alert)
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const expected of [
    'Errors',
    'Slow',
    'HashingFull',
    'RefreshReuse',
    'MailFailing',
    'DatabaseDown',
    'DatabaseReadOnly',
    'JobQueueDown',
    'DatabasePoolWaiting',
    'InstanceDown',
    'RedisDown',
    'RevocationsLost',
    'RevocationsSlow',
  ]) {
    t.ok(
      rules.some(({ alert }) => alert === `Gatehouse${expected}`),
      expected
    )
  }
})
