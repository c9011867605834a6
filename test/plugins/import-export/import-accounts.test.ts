import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { importAll } from '../../../src/cli/user/import.ts'
import { formatOf, parseHashConfig, SYSTEMS } from '../../../src/import-export/other-systems.ts'
import { readRows, type Format } from '../../../src/import-export/read-rows.ts'
import { createBrowser, createUser, hashOf, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { buildShared, secrets } from '../../support/build.ts'
import { makeFolder } from '../../support/folder.ts'
import { FIREBASE, FIREBASE_HASH, KNOWN_HASHES } from '../../support/import-export/known-hashes.ts'

secrets.add(FIREBASE.password)
const SAMPLES = join(import.meta.dirname, '../../support/import-export/samples')
const HASH_CONFIG = readFileSync(join(SAMPLES, 'firebase-hash-config.txt'), 'utf8')

async function setUp (t: Test) {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  t.teardown(() => owner.query('DELETE FROM imported_hashes'))
  const importFile = (file: string, { from = '', dryRun = false } = {}) => importAll(app, {
    rows: readRows(file, formatOf(file) as Format),
    size: statSync(file).size,
    convert: from ? SYSTEMS[from]!(parseHashConfig(HASH_CONFIG)) : row => row,
    dryRun,
    note: () => undefined,
  })
  return {
    app,
    owner,
    importFile,
    async importText (name: string, content: string | Buffer, options = {}) {
      const file = join(makeFolder(t), name)
      writeFileSync(file, content)
      return importFile(file, options)
    },
    count: async () => Number((await owner.query('SELECT count(*) FROM users')).rows[0].count),
    signIn: async (login: string, password = PASSWORD) =>
      (await createBrowser(app).signIn(login, password)).statusCode,
  }
}

const ndjson = (rows: object[]) => rows.map(row => JSON.stringify(row)).join('\n')

t.test('import: accounts sign in, events are recorded, the same file changes nothing', async t => {
  const { app, owner, importText, count, signIn } = await setUp(t)
  const file = ndjson([
    ...Object.values(KNOWN_HASHES).map((hash, number) =>
      ({ username: `ada-${number}`, email: `Ada${number}@example.com`, email_verified: true, password_hash: hash })),
    { username: 'firebase', email: 'fire@example.com', email_verified: true, password_hash: FIREBASE_HASH },
    { email: 'bea.b+news@example.com', name: 'Bea', password_hash: (await hashOf(PASSWORD)).replace('$2b', '$2y') },
    { email: 'cleo@example.com', email_verified: true },
    { email: 'dora@example.com', email_verified: true, disabled: true, password_hash: await hashOf(PASSWORD) },
  ])
  const rows = file.split('\n').length
  t.match(await importText('a.ndjson', file, { dryRun: true }), { totals: { rows, added: rows, refused: 0 } })
  t.equal(await count(), 0, 'a dry run writes nothing')

  t.match(await importText('a.ndjson', file), { totals: { rows, added: rows, withoutPassword: 1, existing: 0 } })
  t.equal(await count(), rows)
  const { rows: events } = await owner.query('SELECT what, ip, actor FROM auth_events ORDER BY id')
  t.strictSame(events, [...Array(rows).fill('imported'), 'accounts_imported']
    .map(what => ({ what, ip: null, actor: 'command line' })))
  const { rows: noted } = await owner.query('SELECT scheme, sample FROM imported_hashes ORDER BY scheme')
  t.strictSame(noted.map(({ scheme }) => scheme),
    ['argon2i', 'argon2id', 'fbscrypt', 'pbkdf2', 'pbkdf2-sha1', 'pbkdf2-sha256', 'pbkdf2-sha512', 'scrypt'])
  t.notOk(JSON.stringify(noted).includes(FIREBASE.signerKey))

  for (const number of Object.keys(Object.values(KNOWN_HASHES))) t.equal(await signIn(`ada-${number}`), 200, number)
  t.equal(await signIn('fire@example.com', FIREBASE.password), 200)
  t.equal(await signIn('bea.b'), 401, 'its address is not verified')
  await owner.query('UPDATE users SET email_verified_at = now()')
  t.equal(await signIn('bea.b'), 200, 'then it signs in, with a username made from its address')
  t.equal(await signIn('cleo'), 401, 'no password yet')
  t.equal(await signIn('dora'), 401, 'disabled')
  const { rows: [bea] } = await owner.query("SELECT password_hash FROM users WHERE username = 'bea.b'")
  t.match(bea.password_hash, /^\$2b\$/)

  t.match(await importText('a.ndjson', file), { totals: { rows, added: 0, existing: rows, refused: 0 } })
  t.equal(await count(), rows)
  t.equal(await signIn('ada-0'), 200, 'the renewed hash is still there')
  t.equal(app.passwords.queue.waiting, 0)
})

t.test('import: an owner without a password sets one by mail', async t => {
  const { app, importText, signIn } = await setUp(t)
  await importText('a.ndjson', ndjson([{ username: 'cleo', email: 'cleo@example.com', email_verified: true }]))
  const user = await app.users.findByEmail('cleo@example.com')
  const token = await app.oneTimeTokens.issue(user!.id, 'reset')
  const answer = await createBrowser(app).post('/reset-password/confirm', { token, password: PASSWORD })
  t.equal(answer.statusCode, 204)
  t.equal(await signIn('cleo'), 200)
})

t.test('import: refused rows have a line number and a reason, the others are added', async t => {
  const { app, owner, importText, count } = await setUp(t)
  await createUser(owner, { username: 'taken', email: 'owner@example.com', external_id: 'taken-1' })
  await createUser(owner, { username: 'named', email: 'named@example.com', external_id: 'taken-2' })
  const ok = { username: 'fine', email: 'fine@example.com' }
  const CASES: Array<[row: string | object, reason: string | RegExp | undefined]> = [
    [ok, undefined],
    [{ username: 'Fine', email: 'other@example.com' }, 'the same username as in line 1'],
    [{ username: 'fine2', email: 'FINE@example.com' }, 'the same email as in line 1'],
    [{ username: 'TAKEN', email: 'x1@example.com' }, /username belongs to another account/],
    [{ username: 'x2', email: 'owner@example.com' }, /Invalid username/],
    [{ username: 'somebody', email: 'owner@example.com' }, /account with another username/],
    [{ username: 'pаypal', email: 'x3@example.com' }, /Invalid username/],
    [{ username: 'ad\u200ba', email: 'x4@example.com' }, /Invalid username/],
    [{ username: 'ada5', email: 'ada@exam\u212ale.com' }, /Invalid email/],
    [{ username: 'ada6', email: 'x6@example.com', name: '\u001b[2J' }, /Invalid name/],
    [{ username: 'ada7', email: 'x7@example.com', name: '\ud800' }, /Invalid name/],
    [{ username: 'ada8', email: 'x8@example.com', password_hash: '$argon2id$v=19$m=1073741824,t=1,p=1$AAAA$AAAA' },
      /^password_hash: /],
    [{ username: 'ada9', email: 'x9@example.com', password_hash: 'swordfish' }, /^password_hash: /],
    [{ username: 'ada10', email: 'x10@example.com', password_hash: `$2b$31$${'.'.repeat(53)}` }, /cost of bcrypt/],
    [{ username: 'ada11', email: 'x11@example.com', passwordhash: 'x' }, 'unknown field "passwordhash"'],
    [{ username: 'ada12', email: ['x12@example.com'] }, 'email is not a text'],
    [{ username: 'ada13' }, 'no email'],
    [{ username: 'ada14', email: 'x14@example.com', email_verified: 'maybe' }, /neither true nor false/],
    [{ username: 'ada15', email: 'x15@example.com', created_at: '2999-01-01' }, /past time/],
    ['{"username": "ada16"', 'not valid JSON'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    [`{"username": "${'a'.repeat(10_000_000)}"}`, 'longer than 64 KiB'],
    ['{"username": "ada\0"}', 'a NUL character'],
    ['{"username": "ada24", "email": "x24@example.com", "name": "\\u0000"}', /Invalid name/],
    ['{"username": "ada25", "email": "x25@example.com", "__proto__": {"email_verified": true}}', /unknown field/],
    [{ username: 'ada26', email: 'x26@example.com', external_id: 'taken-1' }, /external_id belongs to another account/],
    [{ username: 'named', email: 'named@example.com', external_id: 'other' }, /account with another external_id/],
    [{ username: 'ada28', email: 'x28@example.com', external_id: 'e\u0000' }, /Invalid external id/],
    [{ username: 'ada29', email: 'x29@example.com', external_id: 'e'.repeat(256) }, /Invalid external id/],
    [{ username: 'ada30', email: 'x30@example.com', external_id: {} }, 'external_id is not a text'],
    [{ username: 'last', email: 'last@example.com', external_id: 7 }, undefined],
    [{ username: 'ada32', email: 'x32@example.com', external_id: '7' }, /the same external_id as in line \d+$/],
    [{ username: 'ada33', email: 'x33@example.com', data: [] }, 'Invalid data: it must be a JSON object.'],
    [{ username: 'ada34', email: 'x34@example.com', data: '{"a"' }, 'data is not valid JSON'],
    [{ username: 'ada35', email: 'x35@example.com', data: '{"a":1,"a":2}' }, 'data is not valid JSON'],
    [{ username: 'ada36', email: 'x36@example.com', data: { a: 'x'.repeat(4096) } }, /^Invalid data: it has 4104/],
    [{ username: 'ada37', email: 'x37@example.com', data: { a: '\u0000' } }, /NUL/],
    ['{"username": "ada38", "email": "x38@example.com", "data": {"roles": [], "roles": ["root"]}}', 'a member twice'],
    ['{"username": "ada39", "email": "x39@example.com", "email": "y39@example.com"}', 'a member twice'],
    [{ username: 'ada40', email: 'x40@example.com', name: '𠮷野\ud842' }, /Invalid name/],
    [{ username: 'rare', email: 'rare@example.com', name: '𠮷野 🎉', external_id: '客戶-𠮷' }, undefined],
  ]
  const text = CASES.map(([row]) => typeof row === 'string' ? row : JSON.stringify(row)).join('\n')
  const content = Buffer.concat([Buffer.from(text), Buffer.from('\n{"username": "\xff"}\n\n', 'latin1')])
  const { totals, refusals } = await importText('a.ndjson', content)
  const expected = [...CASES.map(([, reason], index) => ({ line: index + 1, reason })).filter(({ reason }) => reason),
    { line: CASES.length + 1, reason: 'not valid UTF-8' }]
  t.match(refusals, expected)
  t.match(totals, { added: 3, existing: 0, refused: expected.length })
  t.equal(await count(), 5)
  const { rows: [fine] } = await owner.query("SELECT * FROM users WHERE username = 'fine'")
  t.match(fine, { password_hash: '!', email_verified_at: null, verification_sent_at: null })
  t.notOk(JSON.stringify(refusals).includes('swordfish'))
  t.match(await app.users.findByExternalId('7'), { username: 'last' })
  t.match(await app.users.findByExternalId('客戶-𠮷'), { name: '𠮷野 🎉' })
})

t.test('import: CSV with quotes, line breaks within them, and a mark of its encoding', async t => {
  const { owner, importText } = await setUp(t)
  const { refusals, totals } = await importText('a.csv', '\uFEFFusername,email,name,email_verified\r\n' +
    'ada,ada@example.com,"Lovelace, ""Countess""",true\r\n' +
    '\r\n' +
    'bea,bea@example.com,"two\nlines",t\r\n' +
    ',cleo@example.com,,0\r\n' +
    'dora,dora@example.com\r\n' +
    'eve,eve@example.com,a"b",1\r\n' +
    'fay,fay@example.com,Fay,1\r\n' +
    'gil,gil@example.com,"Gil,1\r\n')
  t.strictSame(refusals, [
    { line: 4, reason: 'Invalid name: it is too long or contains control characters.' },
    { line: 7, reason: '2 columns instead of 4' },
    { line: 8, reason: 'wrong quotes' },
    { line: 10, reason: 'a quote that does not end' },
  ])
  t.match(totals, { added: 3 })
  const { rows } = await owner.query('SELECT username, name, email_verified_at IS NULL AS open FROM users ORDER BY id')
  t.strictSame(rows, [
    { username: 'ada', name: 'Lovelace, "Countess"', open: false },
    { username: 'cleo', name: null, open: true },
    { username: 'fay', name: 'Fay', open: false },
  ])
  await t.rejects(importText('b.csv', 'user name,"'), { message: /first line/ })
  await t.rejects(importText('b.csv', 'email,data,data\n'), { message: /twice/ })
  await t.rejects(importText('b.json', '{"users": {}}'), { message: /no JSON array/ })
  await t.rejects(importText('b.json', '[{"email":"a@example.com","data":{"a":1,"a":2}}]'), { message: /twice/ })
})

t.test('import: usernames made from addresses differ, and stay the same', async t => {
  const { owner, importText } = await setUp(t)
  await createUser(owner, { username: 'info', email: 'info@example.com' })
  const file = ndjson(['info@example.org', 'info@example.net', 'a@example.org', 'ünï@example.org', '!!@example.org']
    .map(email => ({ email })))
  t.match((await importText('a.ndjson', file)).totals, { added: 4, refused: 1 })
  const names = async () => {
    const { rows } = await owner.query("SELECT username FROM users WHERE username <> 'info' ORDER BY id")
    return rows.map(({ username }) => username as string)
  }
  const first = await names()
  t.match(first, [/^info-[0-9a-f]{10}$/, /^info-[0-9a-f]{10}$/, /^a-[0-9a-f]{10}$/, /^user-[0-9a-f]{10}$/])
  t.match((await importText('a.ndjson', file)).totals, { added: 0, existing: 4, refused: 1 })
  await owner.query("DELETE FROM users WHERE email LIKE '%org'")
  await importText('a.ndjson', file)
  t.strictSame((await names()).toSorted(), first.toSorted())
})

t.test('import: more than one batch; one that was cut off goes on', async t => {
  const { importText, count } = await setUp(t)
  const row = (_: unknown, number: number) => ({ username: `u${number}x`, email: `u${number}@example.com` })
  const rows = Array.from({ length: 2_500 }, row)
  await importText('a.ndjson', ndjson(rows.slice(0, 1_200)))
  const again = [...rows, { username: 'u3x', email: 'u2499@example.com' }]
  t.match(await importText('a.ndjson', ndjson(again)), {
    totals: { rows: 2_501, added: 1_300, existing: 1_200, refused: 1 },
    refusals: [{ line: 2_501, reason: 'the same email as in line 2500' }],
  })
  t.equal(await count(), 2_500)
})

interface Sample { file: string, id: string, added: number, refused?: string[], works: string[], fails?: string[] }

const EXPORTS: Record<string, Sample> = {
  auth0: {
    file: 'auth0.ndjson',
    id: 'auth0|60425da93519d90068f82966',
    added: 2,
    works: ['ada-auth0'],
    fails: ['bea@auth0.example.com'],
  },
  firebase: { file: 'firebase.json', id: 'jHk1', added: 2, refused: ['no email'], works: ['ada'], fails: ['bea'] },
  keycloak: {
    file: 'keycloak.json',
    id: 'd5b6f2a0-0000-4000-8000-000000000001',
    added: 3,
    works: ['ada-keycloak', 'bea@keycloak.example.com'],
    fails: ['cleo-keycloak'],
  },
  supabase: {
    file: 'supabase.csv',
    id: '5f0c6d0e-0000-4000-8000-000000000001',
    added: 3,
    works: ['ada@supabase.example.com'],
    fails: ['bea', 'cleo'],
  },
  'better-auth': { file: 'better-auth.csv', id: 'u1', added: 2, works: ['ada_better'], fails: ['bea'] },
}

for (const [from, { file, id, added, refused = [], works, fails = [] }] of Object.entries(EXPORTS)) {
  t.test(`import --from ${from}: a sample of its export`, async t => {
    const { importFile, owner, signIn } = await setUp(t)
    const path = join(SAMPLES, file)
    const { totals, refusals } = await importFile(path, { from })
    t.match(totals, { added, refused: refused.length })
    t.match(refusals.map(({ reason }) => reason), refused)
    const password = from === 'firebase' ? FIREBASE.password : PASSWORD
    for (const login of works) t.equal(await signIn(login, password), 200, login)
    for (const login of fails) t.equal(await signIn(login, password), 401, login)
    const { rows: [ada] } = await owner.query("SELECT * FROM users WHERE email LIKE 'ada@%'")
    t.match(ada, { name: /^Ada.* Lovelace$/, email_verified_at: Date, external_id: id })
    t.match((await importFile(path, { from })).totals, { added: 0, existing: added })
  })
}
