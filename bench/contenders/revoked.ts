import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from './contenders.ts'
import type { Program } from './start-program.ts'
import type { Stage } from '../environment/stage.ts'
import { accessToken } from '../data/tokens.ts'

const DATABASE = 'revoked'

/** An instance that knows this many ended sessions. */
export async function startRevoked (stage: Stage, service: string, count: number): Promise<Program> {
  await stage.createServiceDatabase(DATABASE)
  const started = await startService(stage, service, DATABASE, 10)
  const { value, sid } = accessToken(1)
  const isRefused = async () => {
    const headers = { cookie: `access_token=${value}` }
    const { status } = await fetch(`http://127.0.0.1:${started.port}/api/auth/verify`, { headers })
    return status === 401
  }
  await stage.query(
    DATABASE,
    `INSERT INTO revocations (sid) SELECT gen_random_uuid() FROM generate_series(2, ${count}) UNION ALL SELECT $1`,
    [sid]
  )
  while (!await isRefused()) await sleep(100)
  return started
}
