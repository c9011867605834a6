// Part of the image's build: with NODE_COMPILE_CACHE set, Node keeps what it compiles for a start.
import { randomBytes } from 'node:crypto'
import { buildApp } from './app.ts'
import { loadConfig } from './config.ts'

/** Nobody listens there: the start does not wait for them. */
const NOWHERE = '127.0.0.1:1'

const app = buildApp(loadConfig({
  NODE_ENV: 'production',
  LOG_LEVEL: 'silent',
  PUBLIC_URL: 'https://auth.example.com',
  DATABASE_URL: `postgres://${NOWHERE}/none`,
  REDIS_URL: `redis://${NOWHERE}`,
  SMTP_URL: `smtp://${NOWHERE}`,
  JWT_SECRET: randomBytes(64).toString('base64'),
}, {}))
await app.ready()
await app.inject('/health/live')
await app.close()
