import { setStage } from '/work/main/bench/stage.ts'
import { fillSessions, fillUsers } from '/work/main/bench/sessions.ts'
const ends: any[] = []
const onEnd = (e: any) => ends.unshift(e)
try {
  const stage = await setStage(onEnd)
  await stage.createServiceDatabase('large')
  const t = async (n: string, f: any) => { const t0 = performance.now(); const r = await f(); console.log(n, ((performance.now() - t0) / 1000).toFixed(1)); return r }
  await t('users', () => fillUsers(stage, 'large', 1_000_000, 'x'.repeat(60)))
  const size = Number(process.argv[2])
  if (process.argv[3] === 'drop') {
  const indexes = await stage.query('large', "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'refresh_tokens' AND indexname NOT LIKE '%key' AND indexname NOT LIKE '%pkey'")
  console.log(indexes)
  for (const { indexname } of indexes) await stage.query('large', `DROP INDEX ${indexname}`)
  await t('tokens', () => fillSessions(stage, 'large', { users: 1_000_000, tokens: size, sample: 18000 }))
  for (const { indexdef } of indexes) await t(indexdef as string, () => stage.query('large', indexdef as string))
  } else await t('tokens', () => fillSessions(stage, 'large', { users: 1_000_000, tokens: size, sample: 18000 }))
  await t('vacuum', () => stage.query('large', 'VACUUM ANALYZE'))
  console.log(await stage.query('large', "select pg_size_pretty(pg_database_size('large'))"))
} finally { for (const e of ends) await e() }
