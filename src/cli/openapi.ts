// npm run openapi: writes openapi.json. A start waits for no database, so that none is needed here.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { buildApp } from '../app.ts'
import { loadConfig } from '../config.ts'

const settings = { NODE_ENV: 'test', LOG_LEVEL: 'silent', DATABASE_URL: 'postgres://127.0.0.1:1/none', JWT_SECRET: randomBytes(64).toString('base64') }
const app = buildApp(loadConfig(settings, {}))
await app.ready()
writeFileSync('openapi.json', app.apiDocs.json().body)
await app.close()
