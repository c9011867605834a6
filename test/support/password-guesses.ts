import { randomBytes } from 'node:crypto'
import type { FastifyInstance, InjectOptions } from 'fastify'
import root from 'tap'
import { build, createDatabase, redisUrl } from './build.ts'
import { nextNumber } from './shared.ts'

/** A client address that no other test uses. */
export function newAddress (): string {
  const number = nextNumber('guessing address')
  return `198.51.${100 + Math.floor(number / 250)}.${number % 250 + 1}`
}

export const login = (app: FastifyInstance, username: string, password: string, options: InjectOptions = {}) =>
  app.inject({ method: 'POST', url: '/login', payload: { username, password }, ...options })

export const guess = (app: FastifyInstance, username: string, options?: InjectOptions) =>
  login(app, username, 'wrong', options)

/** How often a password was really compared: what the limits must bound. */
export function countChecks (...apps: FastifyInstance[]): () => number {
  let checks = 0
  for (const { passwords } of apps) {
    const { verify } = passwords
    passwords.verify = (...args) => {
      checks++
      return verify(...args)
    }
  }
  return () => checks
}

/** The number of responses with each status. */
export async function statusesOf (answers: Array<Promise<{ statusCode: number }>>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { statusCode } of await Promise.all(answers)) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

async function startTwo (settings: Record<string, string>) {
  const database = await createDatabase(root)
  const shared = {
    ...database.settings,
    REDIS_URL: await redisUrl(root),
    REDIS_PREFIX: `test:${randomBytes(8).toString('hex')}:`,
    ...settings,
  }
  const { app: one } = await build(root, { settings: shared })
  const { app: two } = await build(root, { settings: shared })
  return { one, two, owner: database.owner }
}

let started: ReturnType<typeof startTwo> | undefined

/** Two instances on one database and one Redis, for all tests of a file: each test has addresses of its own. */
export function twoInstances (settings: Record<string, string> = {}) {
  started ??= startTwo(settings)
  return started
}
