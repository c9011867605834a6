import { SettingsError, wantsEmbeddedStack } from '../config.ts'
import { isOutage } from '../database/outage.ts'
import { HttpError, Unavailable } from '../errors.ts'
import { WeakPassword } from '../passwords/errors.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { RedisUnreachable } from '../counters/with-redis.ts'
import { Cancelled, CommandError, EXIT, Unreachable, UsageError } from './command.ts'

interface FormattedError { lines: string[], exit: number }

const NO_DEMO = 'Nothing is configured, and no demo is running in this folder: start it with npm start in another ' +
  'terminal, or set DATABASE_URL and JWT_SECRET to those of your service (see docs/configuration.md).'

/** One line for each problem, and the exit code. `hasDemo`: whether the program can start one. */
export function formatError (error: unknown, hasDemo = false): FormattedError {
  const { code = '', message, port } = error as Partial<NodeJS.ErrnoException> & { port?: number }
  if (error instanceof UsageError) return { lines: [error.message], exit: EXIT.usage }
  if (code.startsWith('ERR_PARSE_ARGS')) return { lines: [withoutValues(error as Error)], exit: EXIT.usage }
  if (error instanceof Cancelled) return { lines: [error.message], exit: EXIT.cancelled }
  if (error instanceof SettingsError) {
    const isMissing = hasDemo && wantsEmbeddedStack() && !error.config.DATABASE_URL
    return { lines: isMissing ? [NO_DEMO] : error.problems, exit: EXIT.problem }
  }
  if (error instanceof WeakPassword) return { lines: error.fields.errors as string[], exit: EXIT.problem }
  if (error instanceof Unreachable) return { lines: [error.message], exit: EXIT.unreachable }
  if (error instanceof RedisUnreachable) return unreachable('Redis', 'REDIS_URL', error)
  if (error instanceof Unavailable && !isOutage(error.cause)) {
    return { lines: [`Temporarily unavailable: ${reasonOf(error.cause)}. Try again.`], exit: EXIT.unreachable }
  }
  if (error instanceof Unavailable) return unreachable('PostgreSQL', 'DATABASE_URL', error.cause)
  if (error instanceof HttpError || error instanceof CommandError) return { lines: [error.message], exit: EXIT.problem }
  if (code === 'EADDRINUSE' && port) {
    const advice = `Stop the program that listens there, or use another port: PORT=${port + 1} npm start.`
    return { lines: [`Port ${port} is already in use. ${advice}`], exit: EXIT.problem }
  }
  if (code === 'EACCES' && port) {
    return { lines: [`Permission denied for port ${port}: use a port above 1023.`], exit: EXIT.problem }
  }
  if (code === '42P01') return { lines: ['The database has no tables yet: run gatehouse migrate.'], exit: EXIT.problem }
  if (isOutage(error) || /^28|^3D000/.test(code)) return unreachable('PostgreSQL', 'DATABASE_URL', error)
  return { lines: [message || String(error)], exit: EXIT.problem }
}

function unreachable (server: string, setting: string, cause: unknown): FormattedError {
  return {
    lines: [`Cannot connect to ${server}: ${reasonOf(cause)}. Check ${setting} or run gatehouse doctor.`],
    exit: EXIT.unreachable,
  }
}

/** Keeps only the name of the option: its value may be a password. */
function withoutValues ({ message }: Error): string {
  const option = message.match(/'(-{1,2}[\w-]+)/)?.[1]
  return option ? `The option ${option} is unknown, or its value is missing.` : 'The command line is not valid.'
}
