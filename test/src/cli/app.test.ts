import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { digest } from '../../../src/secrets/digest.ts'
import { secrets } from '../../support/build.ts'
import { runCommand } from '../../support/cli/in-process.ts'
import { setUp } from '../../support/cli/users.ts'
import { folderWith } from '../../support/folder.ts'
import { ORDERS, RESOURCES, VAULT } from '../../support/openid/resources.ts'
import { gatehouse } from '../../support/process.ts'

const CALLBACK = 'https://wiki.example.com/callback'

const { app, cli: elsewhere, env, owner } = await setUp({ PUBLIC_URL: 'https://auth.example.com', ...RESOURCES })
const cli = (...args: string[]) => runCommand(app, ['app', ...args])

t.test('app: from add to remove (0)', async t => {
  const added = await elsewhere(['app', 'add', 'Wiki', '--redirect', CALLBACK, '--redirect',
    'https://wiki.example.net/callback', '--post-logout', 'https://wiki.example.com/'])
  const [, id = '', secret = ''] = /^client_id: (\S{36})\nsecret: ([\w-]{43})\n/.exec(added.stdout) ?? []
  t.match(added, { code: 0, stdout: /Keep the secret now: it is not shown again\./, stderr: '' })
  t.match(added.stdout, 'https://auth.example.com/.well-known/openid-configuration')
  t.match(added.stdout, 'OPENID is off: set OPENID=on')
  secrets.add(secret)
  t.match(await app.applications.find(id), {
    kind: 'web',
    redirectUris: [CALLBACK, 'https://wiki.example.net/callback'],
    postLogoutUris: ['https://wiki.example.com/'],
    secrets: [digest(secret)],
  })

  const change = ['--name', 'Docs', '--redirect', CALLBACK, '--post-logout', '', '--trusted', '--pkce-optional',
    '--backchannel-logout', 'https://wiki.example.com/logout']
  t.match(await cli('change', id, ...change), { code: 0, stdout: `Changed ${id}.\n` })
  const shown = await cli('show', id)
  t.match(shown.stdout, new RegExp(`^client_id: +${id}\nname: +Docs\nkind: +web\nredirect: +${CALLBACK}\nbackc`))
  t.match(shown.stdout, /trusted: +yes\npkce: +optional\ndpop: +optional\ndevice: +no\nsigned in: +0\n/)
  t.match(shown.stdout, /last used: +never\n$/)
  t.match(await cli('change', id, '--untrusted', '--backchannel-logout', '', '--pkce-required'), { code: 0 })
  t.match(await app.applications.find(id), { trusted: false, backchannelLogoutUrl: null, pkceOptional: false })
  t.match((await cli('list')).stdout, `${id}  Docs\n  web, signed in: 0, last used never\n`)

  const rotated = await cli('rotate-secret', id)
  const [, renewed = ''] = /^secret: ([\w-]{43})\nKeep the secret now.* 24 hours\.\n$/.exec(rotated.stdout) ?? []
  secrets.add(renewed)
  t.equal((await app.applications.find(id))?.secrets.length, 2)
  t.notMatch((await cli('list')).stdout + (await cli('show', id)).stdout, new RegExp(`${secret}|${renewed}`))
  t.match(await cli('remove', id), { code: 0, stdout: `Removed ${id}.\n` })
  t.match(await cli('list'), { code: 0, stdout: 'There are no applications.\n' })
  const { rows } = await owner.query("SELECT what FROM auth_events WHERE subject = $1 AND actor = 'command line'", [id])
  t.strictSame(rows.map(({ what }) => what), ['application_added', 'application_changed', 'application_changed',
    'application_secret_rotated', 'application_removed'])
  for (const args of [['show', id], ['change', id, '--name', 'x'], ['rotate-secret', id], ['remove', id]]) {
    t.match(await cli(...args), { code: 1, stderr: /No such application/ }, args.join(' '))
  }
})

t.test('app add: public and machine applications; with OPENID=on nothing has to be set (0)', async t => {
  const device = await cli('add', 'Phone', '--public', '--redirect', 'com.example.app:/callback')
  t.match(device, { code: 0, stdout: /^client_id: \S{36}\nEnter it/ })
  t.notMatch(device.stdout, /secret/)
  const machine = await cli('add', 'Nightly', '--machine')
  const [, secret = ''] = /^client_id: \S{36}\nsecret: ([\w-]{43})\n/.exec(machine.stdout) ?? []
  secrets.add(secret)
  t.ok(secret)
  const json = await elsewhere(['app', 'add', 'Wiki', '--redirect', CALLBACK, '--json'])
  t.match(JSON.parse(json.stdout), { clientId: /^\S{36}$/, secret: /^[\w-]{43}$/ })
  secrets.add(JSON.parse(json.stdout).secret)
  const add = ['app', 'add', 'Wiki', '--public', '--redirect', CALLBACK]
  const ready = await gatehouse(add, { ...env, OPENID: 'on' }).ended
  t.match(ready, { code: 0, stdout: /^client_id: / })
  t.notMatch(ready.stdout, /OPENID is off/)
})

t.test('app: resources and keys (0); a private key is refused (1)', async t => {
  const pair = generateKeyPairSync('ed25519')
  const folder = folderWith(t, {
    'public.pem': pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    'private.pem': pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    'private.json': JSON.stringify(pair.privateKey.export({ format: 'jwk' })),
    'next.json': JSON.stringify({ keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'next' }] }),
    'other.txt': 'hello',
  })
  const added = await cli('add', 'Nightly', '--machine', '--resource', `${ORDERS} orders:read`, '--resource', VAULT,
    '--key', join(folder, 'public.pem'), '--dpop-required')
  t.match(added, { code: 0, stdout: /^client_id: \S{36}\nIt has no secret: .*private_key_jwt/ })
  const [, id = ''] = /client_id: (\S+)/.exec(added.stdout) ?? []
  const shown = (await cli('show', id)).stdout
  t.match(shown, `resource:           ${ORDERS} orders:read\nresource:           ${VAULT}\n`)
  t.match(shown, /key: +without a kid, Ed25519\ndpop: +required\n/)
  const both = ['--key', join(folder, 'public.pem'), '--key', join(folder, 'next.json')]
  t.match(await cli('change', id, ...both, '--resource', '', '--serves', VAULT, '--dpop-optional'), { code: 0 })
  t.match(await app.applications.find(id), { resources: [], serves: VAULT, dpopRequired: false, keys: { length: 2 } })
  t.match(await cli('change', id, '--serves', '', '--key', ''), { code: 0 })
  t.match(await app.applications.find(id), { serves: null, keys: { length: 0 } })
  for (const [file, says] of [
    ['private.pem', /This is a private key/],
    ['private.json', /This is a private key/],
    ['other.txt', /no public key/],
    ['missing.pem', /ENOENT/],
  ] as const) {
    t.match(await cli('change', id, '--key', join(folder, file)), { code: 1, stdout: '', stderr: says }, file)
  }
})

t.test('app: wrong command lines (2), and what the rules refuse, in one line (1)', async t => {
  for (const [args, says] of [
    [['add'], /Missing: NAME/],
    [['add', 'Wiki'], /Missing: --redirect, --device or --machine/],
    [['add', 'Wiki', '--redirect', ''], /Missing: --redirect/],
    [['add', 'Wiki', '--public', '--machine'], /Either --public or --machine/],
    [['change', 'x'], /Missing: what to change/],
    [['change', 'x', '--public'], /kind cannot be changed/],
    [['change', 'x', '--trusted', '--untrusted'], /Either --trusted or --untrusted/],
    [['change', 'x', '--pkce-optional', '--pkce-required'], /Either --pkce/],
    [['rotate-secret'], /Missing: ID/],
  ] as const) t.match(await cli(...args), { code: 2, stdout: '', stderr: says }, args.join(' '))
  const { rowCount } = await owner.query('SELECT FROM applications')
  for (const [args, says] of [
    [['add', 'Wiki', '--redirect', 'javascript:alert(1)'], /^javascript:alert\(1\): use https:.*$/],
    [['add', 'Wiki', '--redirect', 'com.example.app:/x'], /^com\.example\.app:\/x: only a public application.*$/],
    [['add', 'Wiki', '--redirect', CALLBACK, '--backchannel-logout', 'ftp://x'], /^Back-channel logout: .*$/],
    [['add', 'Bot', '--machine', '--redirect', CALLBACK], /^A machine signs no user in.*$/],
    [['add', 'Wiki', '--public', '--redirect', CALLBACK, '--pkce-optional'], /^Only a web application.*$/],
  ] as const) t.match(await cli(...args), { code: 1, stdout: '', stderr: says }, args.join(' '))
  t.equal((await owner.query('SELECT FROM applications')).rowCount, rowCount)
})

t.test('app list --registered: those that registered themselves, in pages', async t => {
  t.teardown(() => owner.query('DELETE FROM applications'))
  await owner.query(`
    INSERT INTO applications (id, name, kind, registration, allowed_at)
    SELECT gen_random_uuid(), 'Agent ' || n, 'public', 'dynamic', CASE WHEN n < 4 THEN now() END
    FROM generate_series(1, 4) n`)
  t.notMatch((await cli('list')).stdout, 'Agent')
  const first = await cli('list', '--registered', '--limit', '2')
  t.equal(first.stdout.match(/registered itself/g)?.length, 2)
  const [, cursor = ''] = /--after (\S+) /.exec(first.stdout) ?? []
  const second = await cli('list', '--registered', '--after', cursor)
  t.equal(second.stdout.match(/registered itself/g)?.length, 1)
  t.notMatch(second.stdout, /--after|Agent 4/)
  t.match(await cli('list', '--registered', '--limit', '0'), { code: 2, stderr: /--limit/ })
})
