import bcrypt from 'bcrypt'
import pg from 'pg'
import type { Config } from '../src/config.ts'

export const DEMO_USER = {
  username: 'demo',
  password: 'correct-Horse-42-staple',
  email: 'demo@example.com',
  name: 'Demo',
}

const CONTENT = [
  ['welcome', 'Welcome to Gatehouse', 'You can read this because you are signed in.'],
  ['tokens', 'Where the tokens are', 'Both tokens are in cookies that no script on this page can read.'],
] as const

// The demo user may have changed the address, and another account may have it.
const FIND_USER = `
  SELECT FROM users WHERE lower(email) = $1 OR (lower(username) = $2 AND password_hash IS NOT NULL)`

/** Adds only missing rows: a second start changes nothing. */
export async function seed (config: Pick<Config, 'MIGRATION_DATABASE_URL' | 'BCRYPT_COST'>) {
  const client = new pg.Client({ connectionString: config.MIGRATION_DATABASE_URL })
  await client.connect()
  try {
    const { username, email, name, password } = DEMO_USER
    const { rowCount: exists } = await client.query(FIND_USER, [email, username])
    if (!exists) {
      await client.query(
        'INSERT INTO users (username, email, name, password_hash, email_verified_at) VALUES ($1, $2, $3, $4, now())',
        [username, email, name, await bcrypt.hash(password, config.BCRYPT_COST)]
      )
    }
    for (const article of CONTENT) {
      await client.query(
        'INSERT INTO content (slug, title, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [...article]
      )
    }
  } finally {
    await client.end()
  }
}
