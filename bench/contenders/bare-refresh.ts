import { join } from 'node:path'
import type { Stage } from '../environment/stage.ts'
import type { read } from './same-response.ts'
import { startProgram, type Program } from './start-program.ts'

const PROGRAM = join(import.meta.dirname, 'programs/bare-refresh.ts')

/** What the service does in a refresh besides HTTP and its statement. */
export const PARTS = ['log', 'counter', 'tokens', 'cookies'] as const

/** A bare node:http server that executes the statement of a refresh and sends the same bytes: its upper bound. */
export function startBareRefresh (
  stage: Stage,
  database: string,
  response: Awaited<ReturnType<typeof read>>,
  parts: readonly string[]
): Promise<Program> {
  return startProgram({
    command: [process.execPath, PROGRAM],
    env: {
      RESPONSE: JSON.stringify(response),
      PARTS: parts.join(),
      DATABASE_URL: stage.service(database),
      REDIS_URL: stage.redisUrl,
    },
  })
}
