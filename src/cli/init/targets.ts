import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { quoted, type NewFile } from './new-files.ts'

export interface Answers {
  publicUrl: string
  mailFrom: string
  smtpUrl: string
  /** Hosts of PostgreSQL and Redis, with a port if it is not the usual one. */
  database: string
  redis: string
}

export interface Target {
  /** Where it writes without --file or --folder. */
  defaultPath: () => string
  writes: 'file' | 'folder'
  /** Whether PostgreSQL and Redis run elsewhere. */
  asksForHosts: boolean
  filesIn: (path: string, answers: Answers) => NewFile[]
}

/** Letters, digits, - and _ only: they are part of URLs. */
const random = (bytes: number) => randomBytes(bytes).toString('base64url')

function createSecrets ({ database, redis }: Answers) {
  const [owner, service, counters] = [random(32), random(32), random(32)]
  return {
    databaseUrl: `postgres://gatehouse:${service}@${database}/gatehouse`,
    ownerUrl: `postgres://gatehouse_owner:${owner}@${database}/gatehouse`,
    redisUrl: `redis://:${counters}@${redis}`,
    jwtSecret: random(64),
    sql: `-- For the administrator of PostgreSQL: psql < postgresql.sql
\\set ON_ERROR_STOP on
CREATE ROLE gatehouse_owner LOGIN PASSWORD '${owner}' CREATEROLE;
CREATE ROLE gatehouse LOGIN PASSWORD '${service}';
CREATE DATABASE gatehouse OWNER gatehouse_owner;
`,
    redisConf: `# Redis holds only counters, which may be lost. If it is full, each instance counts in memory.
requirepass ${counters}
save ""
appendonly no
maxmemory 256mb
maxmemory-policy noeviction
`,
  }
}

const compose: Target = {
  defaultPath: () => existsSync('deploy/compose.yaml') ? 'deploy/.env' : '.env',
  writes: 'file',
  asksForHosts: false,
  filesIn: (path, { publicUrl, smtpUrl, mailFrom }) => [{
    path,
    content: quoted({
      PUBLIC_URL: publicUrl,
      SMTP_URL: smtpUrl,
      MAIL_FROM: mailFrom,
      JWT_SECRET: random(64),
      POSTGRES_PASSWORD: random(32),
      GATEHOUSE_DB_PASSWORD: random(32),
      REDIS_PASSWORD: random(32),
    }),
  }],
}

const debian: Target = {
  defaultPath: () => '/etc/gatehouse',
  writes: 'folder',
  asksForHosts: false,
  filesIn (folder, answers) {
    const secrets = createSecrets(answers)
    const file = (name: string) => join(folder, 'credentials', name)
    const ofService = {
      'database-url': secrets.databaseUrl,
      'redis-url': secrets.redisUrl,
      'jwt-secret': secrets.jwtSecret,
      'smtp-url': answers.smtpUrl,
    }
    const ofRoot = {
      'migration-database-url': secrets.ownerUrl,
      'postgresql.sql': secrets.sql,
      'redis.conf': secrets.redisConf,
    }
    const settings = quoted({
      PUBLIC_URL: answers.publicUrl,
      MAIL_FROM: answers.mailFrom,
      TRUST_PROXY: '127.0.0.1',
      DATABASE_URL_FILE: resolve(file('database-url')),
      REDIS_URL_FILE: resolve(file('redis-url')),
      JWT_SECRET_FILE: resolve(file('jwt-secret')),
      SMTP_URL_FILE: resolve(file('smtp-url')),
    })
    return [
      { path: join(folder, 'gatehouse.env'), content: settings, forGroup: true },
      ...Object.entries(ofService).map(([name, content]) => ({ path: file(name), content, forGroup: true })),
      ...Object.entries(ofRoot).map(([name, content]) => ({ path: file(name), content })),
    ]
  },
}

const kubernetes: Target = {
  defaultPath: () => existsSync('deploy/kubernetes') ? 'deploy/kubernetes' : '.',
  writes: 'folder',
  asksForHosts: true,
  filesIn (folder, answers) {
    const { databaseUrl, ownerUrl, redisUrl, jwtSecret, sql } = createSecrets(answers)
    // Kustomize takes quotes as a part of the value.
    const service = Object.entries({
      PUBLIC_URL: answers.publicUrl,
      MAIL_FROM: answers.mailFrom,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      JWT_SECRET: jwtSecret,
      SMTP_URL: answers.smtpUrl,
    }).map(([name, value]) => `${name}=${value}\n`).join('')
    return [
      { path: join(folder, 'service.env'), content: service },
      { path: join(folder, 'migration.env'), content: `MIGRATION_DATABASE_URL=${ownerUrl}\n` },
      { path: join(folder, 'postgresql.sql'), content: sql },
    ]
  },
}

export const TARGETS: Record<string, Target> = { compose, debian, kubernetes }
