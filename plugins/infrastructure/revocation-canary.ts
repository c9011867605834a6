import fp from 'fastify-plugin'

const INTERVAL = 10_000

// Only one instance writes: the others find the lock taken, or the canary of the last seconds. The lock comes first:
// a statement does not see what was committed after its own start.
const LOCK = 'SELECT pg_try_advisory_xact_lock(471882203) AS locked'
const WRITE = `
  WITH written AS (
    INSERT INTO revocations (sid, canary)
    SELECT gen_random_uuid(), true
    WHERE NOT EXISTS (SELECT FROM revocations WHERE canary AND created_at > now() - interval '9 seconds')
    RETURNING sid
  )
  SELECT pg_notify('gatehouse_revocations', '') FROM written`

/** Writes a revocation of no session every 10 seconds. Each instance measures how long it takes to arrive. */
export default fp(async function (app) {
  const { config, database, log } = app
  if (config.METRICS_PORT === undefined) return
  const write = () =>
    database.transact(async client => {
      const { rows } = await client.query<{ locked: boolean }>(LOCK)
      if (rows[0]?.locked) await client.query(WRITE)
    }).catch(err => log.debug({ err }, 'no canary was written'))
  let timer: NodeJS.Timeout | undefined

  app.addHook('onReady', async function startCanary () {
    timer = setInterval(write, INTERVAL)
    write()
  })
  app.addHook('preClose', async () => clearInterval(timer))
}, { name: 'revocation-canary', dependencies: ['database'] })
