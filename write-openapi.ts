// npm run generate: writes openapi.json and openapi-operator.json. Needs no database, because
// the start does not wait for one.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { buildApp } from './src/app.ts'
import { loadConfig } from './src/config.ts'
import { buildOperatorApp } from './src/operator-app.ts'

const app = buildApp(loadConfig({
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  JWT_SECRET: randomBytes(64).toString('base64'),
}, {}))
await app.ready()
writeFileSync('openapi.json', app.apiDocs.json().body)
const operator = buildOperatorApp(app)
await operator.ready()
writeFileSync('openapi-operator.json', operator.apiDocs.json().body)
await operator.close()
await app.close()
