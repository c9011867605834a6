// A restore to an earlier moment, as docs/operating.md describes it: what was ended after that moment stays ended.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { PASSWORD } from '../support/browser.ts'
import { JWT_SECRET, redisUrl, withoutRedis } from '../support/build.ts'
import {
  folderForPostgres, runAsPostgres, startDebianPostgres, withoutDebianPostgres
} from '../support/deploy/debian-postgres.ts'
import { documented } from '../support/deploy/documented.ts'
import { createCookieClient } from '../support/faults/cookie-client.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'
import { gatehouse } from '../support/process.ts'
import { startSmtp } from '../support/smtp.ts'

type Server = Awaited<ReturnType<typeof startDebianPostgres>>
/** Makes the backup. The returned function restores it, and returns the server that then has the data. */
type Way = (t: Test, server: Server, archive: string) => () => Promise<Server>

/** A file name in the documentation is a placeholder. */
const run = (line: string, env: Record<string, string>, places: Record<string, string>) =>
  execFileSync('sh', ['-euc', line.replace(/[\w./-]+/g, word => places[word] ?? word)], { env, stdio: 'pipe' })

const WAYS: Record<string, Way> = {
  'a dump' (t, server, archive) {
    const file = join(archive, 'gatehouse.dump')
    const env = { ...server.env, PGUSER: 'gatehouse_owner', PGDATABASE: 'gatehouse' }
    execFileSync('pg_dump', ['--format=custom', `--file=${file}`], { env })
    return async () => {
      server.psql('DROP DATABASE gatehouse WITH (FORCE)')
      server.psql('CREATE DATABASE gatehouse OWNER gatehouse_owner')
      execFileSync('pg_restore', ['--dbname=gatehouse', file], { env, stdio: 'pipe' })
      return server
    }
  },
  'a moment' (t, server, archive) {
    const base = join(archive, 'base')
    const [backup = ''] = documented('To a moment', 'pg_basebackup')
    const [program = '', ...options] = backup.replace('/backups/base', base).split(' ')
    runAsPostgres(program, [...options, '--username=postgres'], server.env)
    const moment = server.psql('SELECT clock_timestamp()')
    return async () => {
      server.psql('SELECT pg_switch_wal()')
      server.stop('fast')
      const [signal = ''] = documented('To a moment', 'touch')
      run(signal, server.env, { '/var/lib/postgresql/data/recovery.signal': join(base, 'recovery.signal') })
      const settings = Object.fromEntries(
        documented('To a moment', 'restore_command', 'recovery_target_time', 'recovery_target_action').map(line => {
          const [, name = '', value = ''] = line.match(/^(\w+) = '(.*)'$/) ?? []
          return [name, value.replace('/archive', archive).replace('2026-11-15 12:00:00+00', moment)]
        })
      )
      const restored = await startDebianPostgres(t, { data: base, settings })
      await eventually(() => restored.psql('SELECT pg_is_in_recovery()'), answer => answer === 'f')
      return restored
    }
  },
}

for (const [name, backUp] of Object.entries(WAYS)) {
  t.test(`restore from ${name}: what was ended afterwards stays ended`, {
    skip: withoutDebianPostgres || withoutRedis, timeout: HANG_TIMEOUT,
  }, async t => {
    const archive = folderForPostgres(t, 'archive')
    const [archiveCommand = ''] = documented('To a moment', 'archive_command')
    const archiving = archiveCommand.slice(archiveCommand.indexOf("'") + 1, -1).replaceAll('/archive', archive)
    const server = await startDebianPostgres(t, { settings: { archive_mode: 'on', archive_command: archiving } })
    const smtp = await startSmtp(t)
    const REDIS_URL = await redisUrl(t)
    const settingsFor = ({ url }: Server) => ({
      NODE_ENV: 'test',
      JWT_SECRET,
      BCRYPT_COST: '4',
      REDIS_URL,
      SMTP_URL: smtp.url,
      TRUST_PROXY: '127.0.0.1',
      DATABASE_URL: url('gatehouse'),
      MIGRATION_DATABASE_URL: url('gatehouse_owner'),
    })
    async function serve (server: Server) {
      const port = await freePort()
      const { child, until, ended } = gatehouse(['serve'], { ...settingsFor(server), PORT: String(port) })
      const stop = async () => {
        child.kill('SIGKILL')
        await ended
      }
      t.teardown(stop)
      await until(/Server listening/)
      return { port, stop }
    }
    const status = async (port: number, client: ReturnType<typeof createCookieClient>, path: string, body?: object) =>
      (await client.send(port, { path, body, method: path.endsWith('verify') ? 'GET' : 'POST' }))?.status
    const signIn = async (port: number) => {
      const client = createCookieClient()
      t.equal(await status(port, client, '/login', { username: 'ada', password: PASSWORD }), 200)
      return client
    }
    const copyOf = ({ cookies }: ReturnType<typeof createCookieClient>) => createCookieClient(new Map(cookies))

    server.psql('CREATE ROLE gatehouse_owner LOGIN CREATEDB CREATEROLE; CREATE ROLE gatehouse LOGIN')
    server.psql('CREATE DATABASE gatehouse OWNER gatehouse_owner')
    t.match(await gatehouse(['migrate'], settingsFor(server)).ended, { code: 0 })
    const add = ['user', 'add', 'ada', 'ada@example.com', '--verified']
    t.match(await gatehouse(add, settingsFor(server), { input: `${PASSWORD}\n` }).ended, { code: 0 })
    const command = (server: Server, ...args: string[]) => gatehouse(args, settingsFor(server)).ended
    t.match(await command(server, 'operator', 'add', 'ada'), { code: 0 })
    for (const key of ['kept', 'leaked']) {
      t.match(await command(server, 'api-key', 'add', key, '--scope', 'users:read'), { code: 0 })
    }
    const before = await serve(server)
    const early = await signIn(before.port)
    await status(before.port, createCookieClient(), '/reset-password', { email: 'ada@example.com' })
    const { token } = await smtp.next()

    const restore = backUp(t, server, archive)
    t.match(await command(server, 'api-key', 'end', 'leaked'), { code: 0 })
    t.match(await command(server, 'operator', 'remove', 'ada'), { code: 0 })
    const late = await signIn(before.port)
    const [earlyCopy, lateCopy] = [copyOf(early), copyOf(late)]
    for (const client of [early, late]) t.equal(await status(before.port, client, '/logout'), 204)
    const reset = { token, password: 'another-Horse-43-staple' }
    t.equal(await status(before.port, createCookieClient(), '/reset-password/confirm', reset), 204)
    await before.stop()

    const restored = await restore()
    t.match(await gatehouse(['migrate'], settingsFor(restored)).ended, { code: 0 })
    const unaware = await serve(restored)
    t.equal(await status(unaware.port, copyOf(earlyCopy), '/api/auth/verify'), 204, 'without the command it is alive')
    t.equal(await status(unaware.port, copyOf(lateCopy), '/api/auth/verify'), 204)
    await unaware.stop()

    t.match(await command(restored, 'api-key', 'list'), { stdout: /^leaked +never used/m })
    t.match(await command(restored, 'restored'), {
      code: 0, stdout: /^api-key +kept .*\napi-key +leaked .*\noperator +ada@example\.com /m,
    })
    t.match(await command(restored, 'restored', 'confirm', 'api-key', 'kept'), { code: 0 })
    t.match(await command(restored, 'api-key', 'list'), {
      stdout: /^kept +never used.*\nleaked +suspended by a restore/,
    })
    t.match(await command(restored, 'operator', 'list'), { stdout: /^ada .*suspended by a restore/ })
    const after = await serve(restored)
    for (const copy of [earlyCopy, lateCopy]) {
      t.equal(await status(after.port, copyOf(copy), '/api/auth/verify'), 401)
      t.equal(await status(after.port, copyOf(copy), '/api/auth/refresh'), 401)
    }
    t.equal(await status(after.port, createCookieClient(), '/reset-password/confirm', reset), 400)
    t.equal(await status(after.port, await signIn(after.port), '/api/auth/refresh'), 200)
  })
}
