import { Writable } from 'node:stream'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { Bench } from '../bench.ts'
import { serviceSettings } from './contenders.ts'
import { median } from '../figures/rounds.ts'
import type { Stage } from '../environment/stage.ts'

const LOGINS_A_ROUND = 300

/** The service in this process, not ready yet. It ends with the measure. */
export function createService ({ stage, onEnd }: Pick<Bench, 'stage' | 'onEnd'>, database: string): FastifyInstance {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const config = loadConfig({ NODE_ENV: 'production', ...serviceSettings(stage, database, 10) }, {})
  const app: FastifyInstance = buildApp(config, silence)
  onEnd(() => app.close())
  return app
}

/** The service in this process, to time only the database work of a login, and to see its statements. */
export async function openRecords (bench: Bench, database: string, users: number) {
  const app = createService(bench, database)
  app.register(async app => {
    app.post<{ Params: { login: string } }>('/records/:login', async function signInUnchecked (request, reply) {
      const began = performance.now()
      const user = await app.users.findByLogin(request.params.login)
      // As from a known browser, like most sign-ins.
      const opened = user && await app.sessions.open(user, request, reply, { amr: ['pwd'] })
      if (!opened) throw new Error('the sign-in failed')
      return { ms: performance.now() - began }
    })
  })
  await app.ready()

  const signInAs = (login: string) => app.inject({ method: 'POST', url: `/records/${login}` })

  return {
    /** The median of many logins, in milliseconds. */
    async signIn (): Promise<number> {
      const times: number[] = []
      for (let n = 0; n < LOGINS_A_ROUND; n++) {
        const answer = await signInAs(`user${1 + Math.floor(Math.random() * users)}`)
        times.push(answer.json().ms)
      }
      return median(times)
    },

    /** Each common operation once. */
    async hotStatements (): Promise<string[]> {
      const statements = watchStatements(app)
      await signInAs('user1@example.com')
      const { cookies } = await signInAs('user1')
      const jar = Object.fromEntries(cookies.map(({ name, value }) => [name, value]))
      const ask = (method: InjectOptions['method'], url: string) => app.inject({ method, url, cookies: jar })
      await ask('POST', '/api/auth/refresh')
      await ask('POST', '/api/auth/refresh')
      await ask('GET', '/api/auth/sessions')
      await ask('POST', '/logout')
      return [...statements.keys()].filter(sql => !/^(BEGIN|COMMIT|ROLLBACK)$/.test(sql))
    },
  }
}

/** The statements from now on, each with the values that it was last used with. */
export function watchStatements (app: FastifyInstance): Map<string, unknown[]> {
  const statements = new Map<string, unknown[]>()
  const watched = new WeakSet<object>()
  app.pg.pool.on('acquire', client => {
    if (watched.has(client)) return
    watched.add(client)
    const query = client.query.bind(client) as Function
    client.query = ((...args: [string | { text: string, values?: unknown[] }, unknown]) => {
      const [statement, values] = args
      if (typeof statement === 'string') statements.set(statement, Array.isArray(values) ? values : [])
      else statements.set(statement.text, statement.values ?? [])
      return query(...args)
    }) as typeof client.query
  })
  return statements
}

/** An installation has few applications: PostgreSQL reads all of them rather than an index. */
const READS_ALL = /Seq Scan on (?!applications\b)/

/** The statements for which PostgreSQL would read a whole table, whatever the parameters. */
export async function tableScans (stage: Stage, database: string, statements: string[]): Promise<string[]> {
  const found: string[] = []
  for (const sql of statements) {
    const plan = await stage.query<{ 'QUERY PLAN': string }>(database, `EXPLAIN (GENERIC_PLAN) ${sql}`)
    if (plan.some(line => READS_ALL.test(line['QUERY PLAN']))) found.push(sql.trim())
  }
  return found
}
