import { createHmac, randomUUID } from 'node:crypto'
import Postgrator from 'postgrator'
import t from 'tap'
import { migrate } from '../../src/database/migrate.ts'
import { digest } from '../../src/secrets/digest.ts'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { build, createDatabase, JWT_SECRET, pg } from '../support/build.ts'

const DAY = 24 * 60 * 60

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** As version 0.1 did: without a generation in the claims. */
function sign (claims: object): string {
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${content}.${createHmac('sha256', JWT_SECRET).update(content).digest('base64url')}`
}

interface OldToken { value: string, id: string, family: string }

/** The tables of version 0.1. */
const { owner, settings } = await createDatabase(t, { empty: true })
const client = new pg.Client({ connectionString: settings.MIGRATION_DATABASE_URL })
await client.connect()
const files = { driver: 'pg', schemaTable: 'schema_migrations', migrationPattern: 'migrations/*.sql' } as const
await new Postgrator({ ...files, execQuery: query => client.query(query) }).migrate('5')
await client.end()

/** A user of version 0.1, who can be given tokens. */
async function addUser () {
  const user = await createUser(owner)

  /** Adds a token `age` seconds old. With `parent`, which it replaced `age` seconds ago. */
  async function add (age: number, { parent, expiresIn = 20 * DAY }: { parent?: OldToken, expiresIn?: number } = {}) {
    const now = Math.floor(Date.now() / 1_000)
    const [id, family, signedIn] = [randomUUID(), parent?.family ?? randomUUID(), now - DAY]
    const claims = { userId: user.id, username: user.username, iat: now - age, exp: now + DAY, jti: id, sid: family }
    const value = sign({ ...claims, use: 'refresh', auth_time: signedIn })
    await owner.query(
      `INSERT INTO refresh_tokens (id, family_id, user_id, token, created_at, expires_at, signed_in_at)
       VALUES ($1, $2, $3, $4, to_timestamp($5), to_timestamp($6), to_timestamp($7))`,
      [id, family, user.id, digest(value), now - age, now + expiresIn, signedIn]
    )
    await owner.query(
      'UPDATE refresh_tokens SET successor_id = $2, rotated_at = to_timestamp($3) WHERE id = $1',
      [parent?.id, id, now - age]
    )
    return { value, id, family }
  }

  /** The sessions of this user after the upgrade. */
  const sessions = async (columns: string) =>
    (await owner.query(`SELECT ${columns} FROM refresh_tokens WHERE user_id = $1`, [user.id])).rows

  return { id: user.id, add, sessions }
}

const refreshing = await addUser()
const usedOnce = await refreshing.add(2_000)
const live = await refreshing.add(1_000, { parent: usedOnce })

const reusing = await addUser()
const usedTwice = [await reusing.add(2_000), await reusing.add(2_000)] as const
const successors = [
  await reusing.add(1_000, { parent: usedTwice[0] }),
  await reusing.add(1_000, { parent: usedTwice[1] }),
] as const

const recent = await addUser()
const usedJustNow = await recent.add(60)
const liveJustNow = await recent.add(0, { parent: usedJustNow })

const ended = await addUser()
const revoked = await ended.add(60)
const ofRevoked = await ended.add(30, { parent: revoked })
// As after a rotation concurrent with the sign-out: the parent is revoked, its successor is not.
await owner.query('UPDATE refresh_tokens SET revoked_at = now() WHERE id = $1', [revoked.id])
const expired = await ended.add(60, { expiresIn: -1 })

await migrate(settings)
const { app } = await build(t, { settings: { ...NO_LIMITS, ...settings } })

function holderOf ({ value }: OldToken) {
  const browser = createBrowser(app)
  browser.cookies.set('refresh_token', value)
  return browser
}

t.test('a live token from before the upgrade: refreshed, repeated, its reuse ends the session', async t => {
  t.strictSame(await refreshing.sessions('id, rotated_at < now() AS used'), [{ id: live.family, used: true }])

  const browser = holderOf(live)
  t.equal((await browser.refresh()).statusCode, 200)
  const successor = browser.cookies.get('refresh_token') as string
  const slowTab = holderOf(live)
  t.equal((await slowTab.refresh()).statusCode, 200)
  t.equal(slowTab.cookies.get('refresh_token'), successor, 'the same successor within 30 s')
  t.equal((await browser.refresh()).statusCode, 200)
  t.equal((await holderOf(live).refresh()).statusCode, 401)
  t.equal((await browser.refresh()).statusCode, 401, 'the session has ended')
})

t.test('a token that was used long before the upgrade is reuse (401)', async t => {
  t.equal((await holderOf(usedTwice[0]).refresh()).statusCode, 401)
  t.equal((await holderOf(successors[1]).refresh()).statusCode, 200)
  t.equal((await holderOf(usedTwice[1]).refresh()).statusCode, 401, 'also within 30 s of the first refresh')
  t.strictSame(await reusing.sessions('revoked_for'), [{ revoked_for: 'reuse' }, { revoked_for: 'reuse' }])
})

t.test('a token that was used seconds before the upgrade: refused, the session lives on', async t => {
  await owner.query('UPDATE refresh_tokens SET rotated_at = now() WHERE user_id = $1', [recent.id])
  t.equal((await holderOf(usedJustNow).refresh()).statusCode, 401)
  t.equal((await holderOf(liveJustNow).refresh()).statusCode, 200)
})

t.test('ended and expired sessions stay behind (401)', async t => {
  for (const token of [revoked, ofRevoked, expired]) t.equal((await holderOf(token).refresh()).statusCode, 401)
  t.strictSame(await ended.sessions('id'), [])
})
