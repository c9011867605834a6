import { SettingsError } from '../config.ts'
import { isOutage } from '../database/outage.ts'
import { HttpError, Unavailable, WeakPassword } from '../errors.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { RedisAway } from '../redis/with-redis.ts'
import { EXIT, Refusal, Unreachable, UsageError } from './command.ts'

interface Explanation { lines: string[], exit: number }

/** One line for each thing that is wrong, and what to do about it. */
export function explain (error: unknown): Explanation {
  const { code = '', message, port } = error as Partial<NodeJS.ErrnoException> & { port?: number }
  if (error instanceof UsageError) return { lines: [error.message], exit: EXIT.usage }
  if (code.startsWith('ERR_PARSE_ARGS')) return { lines: [withoutValues(error as Error)], exit: EXIT.usage }
  if (error instanceof SettingsError) return { lines: error.problems, exit: EXIT.problem }
  if (error instanceof WeakPassword) return { lines: error.fields.errors as string[], exit: EXIT.problem }
  if (error instanceof Unreachable) return { lines: [error.message], exit: EXIT.unreachable }
  if (error instanceof RedisAway) return { lines: [`Redis does not let us in: ${reasonOf(error)}. Check REDIS_URL, or ask gatehouse doctor.`], exit: EXIT.unreachable }
  if (error instanceof Unavailable) return unreachable(error.cause)
  if (error instanceof HttpError || error instanceof Refusal) return { lines: [error.message], exit: EXIT.problem }
  if (code === 'EADDRINUSE' && port) return { lines: [`Port ${port} is taken: stop what listens there, or choose another, such as PORT=${port + 1} npm start.`], exit: EXIT.problem }
  if (code === 'EACCES' && port) return { lines: [`Port ${port} needs more rights than this user has: choose one above 1023.`], exit: EXIT.problem }
  if (code === '42P01') return { lines: ['The tables are not there yet: run gatehouse migrate.'], exit: EXIT.problem }
  if (isOutage(error) || /^28|^3D000/.test(code)) return unreachable(error)
  return { lines: [message || String(error)], exit: EXIT.problem }
}

function unreachable (cause: unknown): Explanation {
  return { lines: [`PostgreSQL does not let us in: ${reasonOf(cause)}. Check DATABASE_URL, or ask gatehouse doctor.`], exit: EXIT.unreachable }
}

/** Only the name of an option is repeated: what was given to it may be a password. */
function withoutValues ({ message }: Error): string {
  const option = message.match(/'(-{1,2}[\w-]+)/)?.[1]
  return option ? `The option ${option} is not known here, or lacks what it takes.` : 'The command line cannot be read.'
}
