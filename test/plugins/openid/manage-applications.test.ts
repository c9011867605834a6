import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { digest } from '../../../src/secrets/digest.ts'
import { createUser } from '../../support/browser.ts'
import { build, buildShared, secrets } from '../../support/build.ts'

const WIKI = { kind: 'web' as const, name: 'Wiki', redirectUris: ['https://wiki.example.com/callback'] }

type Service = Awaited<ReturnType<typeof buildShared>>

/** An application whose secret must not be logged. It is removed at the end of the test. */
async function addApp (t: Test, { app, owner }: Service, wanted: object = {}) {
  const { id, secret = '' } = await app.manageApplications.add({ ...WIKI, ...wanted })
  if (secret) secrets.add(secret)
  t.teardown(() => owner.query('DELETE FROM applications WHERE id = $1', [id]))
  return { id, secret }
}

const eventsOf = async ({ owner }: Service, id: string) => (await owner.query(
  'SELECT what, actor FROM auth_events WHERE subject = $1 ORDER BY id', [id])).rows

t.test('add: 256 random bits as a secret, of which only the SHA-256 is stored', async t => {
  const service = await buildShared(t)
  const { id, secret } = await addApp(t, service)
  t.match(secret, /^[\w-]{43}$/)
  t.match(await service.app.applications.find(id), {
    ...WIKI,
    id,
    postLogoutUris: [],
    backchannelLogoutUrl: null,
    trusted: false,
    pkceOptional: false,
    secrets: [digest(secret)],
  })
  const { rows } = await service.owner.query('SELECT row_to_json(s)::text AS row FROM application_secrets s')
  t.equal(rows.length, 1)
  t.notMatch(JSON.stringify(rows), secret)
  t.notMatch(JSON.stringify(await service.app.manageApplications.list()), /secret/)
  t.strictSame(await eventsOf(service, id), [{ what: 'application_added', actor: 'command line' }])
  const other = await addApp(t, service)
  t.not(other.secret, secret)
})

t.test('add: a public application has no secret, and cannot get one', async t => {
  const service = await buildShared(t)
  const { id, secret } = await addApp(t, service, { kind: 'public' })
  t.equal(secret, '')
  await t.rejects(service.app.manageApplications.rotateSecret(id), { statusCode: 400, message: /has no secret/ })
  t.match(await service.app.applications.find(id), { secrets: [] })
})

t.test('add, change: nothing is stored of what is refused', async t => {
  const service = await buildShared(t)
  const { manageApplications } = service.app
  await t.rejects(manageApplications.add({ kind: 'web', name: 'Wiki' }), { message: /at least one redirect/ })
  const bad = { ...WIKI, redirectUris: ['javascript:alert(1)'] }
  await t.rejects(manageApplications.add(bad), { message: /^javascript:/ })
  t.strictSame(await manageApplications.list(), [])
  const { id } = await addApp(t, service, { kind: 'public' })
  for (const change of [
    { redirectUris: [] }, { redirectUris: ['https://a.example/#'] }, { postLogoutUris: ['http://a.example/'] },
    { pkceOptional: true }, { name: '' }, { backchannelLogoutUrl: 'https://127.0.0.1/' },
  ]) await t.rejects(manageApplications.change(id, change), { message: /./, statusCode: 400 }, JSON.stringify(change))
  t.match(await manageApplications.find(id), { ...WIKI, kind: 'public', pkceOptional: false })
  t.match(await eventsOf(service, id), [{ what: 'application_added' }])
})

t.test('change: only what is named; the time of the change moves', async t => {
  const service = await buildShared(t)
  const { manageApplications } = service.app
  const { id } = await addApp(t, service, { trusted: true, backchannelLogoutUrl: 'https://wiki.example.com/logout' })
  const before = await manageApplications.find(id)
  t.equal(await manageApplications.change(id, { name: 'Docs', trusted: false }, 'key desk'), true)
  const after = await manageApplications.find(id)
  t.match(after, { ...WIKI, name: 'Docs', trusted: false, backchannelLogoutUrl: 'https://wiki.example.com/logout' })
  t.ok(after && before && after.changedAt > before.changedAt)
  t.strictSame(after?.createdAt, before?.createdAt)
  await manageApplications.change(id, { backchannelLogoutUrl: null, postLogoutUris: ['https://wiki.example.com/'] })
  t.match(await manageApplications.find(id), {
    name: 'Docs', backchannelLogoutUrl: null, postLogoutUris: ['https://wiki.example.com/'],
  })
  t.match((await eventsOf(service, id))[1], { what: 'application_changed', actor: 'key desk' })
})

t.test('rotateSecret: the former secret is accepted for 24 hours, and none before it', async t => {
  const service = await buildShared(t)
  const { app, owner } = service
  const { id, secret: first } = await addApp(t, service)
  const rotate = async () => {
    const secret = await app.manageApplications.rotateSecret(id, 'operator ada') as string
    secrets.add(secret)
    return secret
  }
  const accepted = async () => (await app.applications.find(id))?.secrets.map(String).sort()
  const second = await rotate()
  t.strictSame(await accepted(), [first, second].map(digest).map(String).sort())
  const { rows: [{ left }] } = await owner.query(`
    SELECT extract(epoch FROM ends_at - created_at)::float AS left FROM application_secrets WHERE ends_at IS NOT NULL`)
  t.ok(left >= 86_400 && left < 86_500, `${left} seconds`)
  await owner.query("UPDATE application_secrets SET ends_at = now() - interval '1 second' WHERE ends_at IS NOT NULL")
  t.strictSame(await accepted(), [String(digest(second))], 'not longer')

  const third = await rotate()
  const fourth = await rotate()
  t.strictSame(await accepted(), [third, fourth].map(digest).map(String).sort(), 'two rotations end one that leaked')
  t.match((await eventsOf(service, id)).slice(1),
    Array(3).fill({ what: 'application_secret_rotated', actor: 'operator ada' }))
})

t.test('rotateSecret: five at once leave one secret without an end', async t => {
  const service = await buildShared(t)
  const { id } = await addApp(t, service)
  const rotated = await Promise.all(Array.from({ length: 5 }, () => service.app.manageApplications.rotateSecret(id)))
  for (const secret of rotated) secrets.add(secret as string)
  const { rows } = await service.owner.query(`
    SELECT count(*)::int AS all, count(ends_at)::int AS former FROM application_secrets
    WHERE application_id = $1`, [id])
  t.strictSame(rows, [{ all: 2, former: 1 }])
})

t.test('find, list: when it was last used, and how many accounts are signed in to it', async t => {
  const service = await buildShared(t)
  const { app, owner } = service
  const { id } = await addApp(t, service)
  await addApp(t, service, { name: 'another' })
  t.match(await app.manageApplications.find(id), { lastUsedAt: null, users: 0 })
  await app.applications.markUsed(id)
  const used = (await app.manageApplications.find(id))?.lastUsedAt
  t.type(used, Date)
  await app.applications.markUsed(id)
  t.strictSame((await app.manageApplications.find(id))?.lastUsedAt, used, 'written once a minute')
  await owner.query("UPDATE applications SET last_used_at = last_used_at - interval '61 seconds'")
  await app.applications.markUsed(id)
  t.ok((await app.manageApplications.find(id))?.lastUsedAt as Date >= (used as Date))

  /** A grant on a session, of which one of these may be over. */
  const grant = async (userId: string, { session = '', ended = 'NULL' } = {}) => {
    const sid = randomUUID()
    await owner.query(`
      INSERT INTO refresh_tokens (id, user_id, token, issued_at, expires_at, signed_in_at, amr, revoked_at)
      VALUES ($1, $2, sha256($3::bytea), now(), now() + interval '1 day', now(), '{pwd}', NULL)`, [sid, userId, sid])
    if (session) await owner.query(`UPDATE refresh_tokens SET ${session} WHERE id = $1`, [sid])
    await owner.query(`
      INSERT INTO application_grants
        (id, application_id, user_id, session_id, signed_in_from, sid, ended_at, scopes, allowed)
      VALUES (gen_random_uuid(), $1, $2, $3, $3, $3, ${ended}, '{openid}', '{}')`, [id, userId, sid])
  }
  const [ada, alan, grace] = await Promise.all([1, 2, 3].map(() => createUser(owner)))
  if (!ada || !alan || !grace) throw new Error('no users')
  await grant(ada.id)
  await grant(ada.id)
  await grant(alan.id)
  await grant(grace.id, { session: 'revoked_at = now()' })
  await grant(grace.id, { session: "expires_at = now() - interval '1 second'" })
  await grant(grace.id, { ended: 'now()' })
  t.match(await app.manageApplications.list(), [{ name: 'another', users: 0 }, { id, users: 2 }], 'sorted by name')
})

t.test('remove: with its secrets, grants and consents; unknown ids change nothing', async t => {
  const service = await buildShared(t)
  const { app, owner } = service
  const { id } = await addApp(t, service)
  const { id: userId } = await createUser(owner)
  await owner.query(
    "INSERT INTO application_consents (user_id, application_id, scopes) VALUES ($1, $2, '{openid}')", [userId, id])
  t.equal(await app.manageApplications.remove(id, 'key desk'), true)
  for (const table of ['applications', 'application_secrets', 'application_consents']) {
    t.equal((await owner.query(`SELECT FROM ${table}`)).rowCount, 0, table)
  }
  t.match((await eventsOf(service, id)).at(-1), { what: 'application_removed', actor: 'key desk' })

  const events = (await owner.query('SELECT FROM auth_events')).rowCount
  for (const unknown of [id, randomUUID(), "1' OR 1=1", '']) {
    t.equal(await app.manageApplications.find(unknown), undefined)
    t.equal(await app.manageApplications.remove(unknown), false)
    t.equal(await app.manageApplications.change(unknown, { name: 'x' }), false)
    t.equal(await app.manageApplications.rotateSecret(unknown), undefined)
  }
  t.equal((await owner.query('SELECT FROM auth_events')).rowCount, events)
})

t.test('add: not without its event, and no event without the application', async t => {
  const { app, owner } = await build(t)
  const none = async () => {
    await t.rejects(app.manageApplications.add(WIKI))
    t.equal((await owner.query('SELECT FROM applications')).rowCount, 0)
    t.equal((await owner.query('SELECT FROM auth_events')).rowCount, 0)
  }
  await owner.query("ALTER TABLE auth_events ADD CONSTRAINT refused CHECK (what <> 'application_added')")
  await none()
  await owner.query(`
    ALTER TABLE auth_events DROP CONSTRAINT refused;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
    CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON applications DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`)
  await none()
})
