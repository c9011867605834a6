// better-auth as in its guide, with bcrypt in place of scrypt, so that hashing costs the same as ours.
import { createServer } from 'node:http'
import bcrypt from 'bcrypt'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import pg from 'pg'

const { PORT, DATABASE_URL, SECRET, BCRYPT_COST, COOKIE_CACHE } = process.env

const options = {
  baseURL: `http://127.0.0.1:${PORT}`,
  secret: SECRET,
  database: new pg.Pool({ connectionString: DATABASE_URL, max: 10 }),
  emailAndPassword: {
    enabled: true,
    password: {
      hash: password => bcrypt.hash(password, Number(BCRYPT_COST)),
      verify: ({ password, hash }) => bcrypt.compare(password, hash),
    },
  },
  session: { cookieCache: { enabled: COOKIE_CACHE === 'true', maxAge: 900 } },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
}

await (await getMigrations(options)).runMigrations()
createServer(toNodeHandler(betterAuth(options))).listen(PORT, '127.0.0.1')
