// Part of the image's build: with NODE_COMPILE_CACHE set, Node keeps what it compiles for a start.
import { randomBytes } from 'node:crypto'
import { buildApp } from './src/app.ts'
import { loadConfig } from './src/config.ts'

/** A closed port: a start does not wait for PostgreSQL, Redis or the mail server. */
const CLOSED = '127.0.0.1:1'

const app = buildApp(loadConfig({
  NODE_ENV: 'production',
  LOG_LEVEL: 'silent',
  PUBLIC_URL: 'https://auth.example.com',
  DATABASE_URL: `postgres://${CLOSED}/none`,
  REDIS_URL: `redis://${CLOSED}`,
  SMTP_URL: `smtp://${CLOSED}`,
  JWT_SECRET: randomBytes(64).toString('base64'),
}, {}))
await app.ready()
await app.inject('/health/live')
await app.close()
