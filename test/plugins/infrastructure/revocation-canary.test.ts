import t, { type Test } from 'tap'
import { build, createDatabase } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { scrape } from '../../support/scrape.ts'

async function start (t: Test, settings: Record<string, string>) {
  const { app } = await build(t, { settings: { METRICS_PORT: '0', ...settings } })
  const url = (await app.metrics.listen()) as string
  return async (metric: string) => (await scrape(url)).get(metric)
}

t.test('one instance writes a canary, every instance measures its arrival', async t => {
  const { owner, settings } = await createDatabase(t)
  const instances = await Promise.all([start(t, settings), start(t, settings)])
  for (const figure of instances) {
    await eventually(() => figure('gatehouse_revocation_seconds_count'), count => Number(count) > 0)
    t.equal(await figure('gatehouse_revocation_feed_up'), 1)
    t.ok(Number(await figure('gatehouse_revoked_sessions')) > 0)
  }
  const { rows } = await owner.query(`
    SELECT created_at - lag(created_at) OVER (ORDER BY created_at) < interval '8 seconds' AS crowded
    FROM revocations WHERE canary`)
  t.not(rows.length, 0)
  t.notOk(rows.some(({ crowded }) => crowded), 'never two at the same time')
})

t.test('without metrics there are no canaries', async t => {
  const { app, owner } = await build(t)
  await app.inject('/health/live')
  t.equal((await owner.query('SELECT FROM revocations')).rowCount, 0)
})
