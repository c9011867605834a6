import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { JWT_SECRET, redisUrl, withoutRedis } from '../support/build.ts'
import { documented } from '../support/deploy/documented.ts'
import { startDebianPostgres, withoutDebianPostgres } from '../support/deploy/debian-postgres.ts'
import { makeFolder } from '../support/folder.ts'
import { gatehouse } from '../support/process.ts'

const PASSWORD = 'correct-Horse-42-staple'
const ROLES = ['CREATE ROLE gatehouse_owner LOGIN CREATEDB CREATEROLE', 'CREATE ROLE gatehouse LOGIN']

t.test('backup and restore, as documented', { skip: withoutDebianPostgres || withoutRedis }, async t => {
  const { env, url, psql } = await startDebianPostgres(t)
  const settings = {
    NODE_ENV: 'test',
    DATABASE_URL: url('gatehouse'),
    MIGRATION_DATABASE_URL: url('gatehouse_owner'),
    REDIS_URL: await redisUrl(t),
    JWT_SECRET,
    BCRYPT_COST: '4',
  }
  const command = async (...args: string[]) => gatehouse(args, settings).ended
  async function signIn (): Promise<number> {
    const port = await freePort()
    const { child, until, ended } = gatehouse(['serve'], { ...settings, PORT: String(port) })
    await until(/Server listening/)
    const { status } = await fetch(`http://127.0.0.1:${port}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'somebody', password: PASSWORD }),
    })
    child.kill('SIGKILL')
    await ended
    return status
  }

  for (const role of ROLES) psql(role)
  psql('CREATE DATABASE gatehouse OWNER gatehouse_owner')
  t.match(await command('migrate'), { code: 0 })
  const add = ['user', 'add', 'somebody', 'somebody@example.com', '--verified']
  t.match(await gatehouse(add, settings, { input: `${PASSWORD}\n` }).ended, { code: 0 })
  t.equal(await signIn(), 200)

  const folder = makeFolder(t, 'backups')
  const backup = () => execFileSync('deploy/postgres/backup.sh', {
    env: { ...env, PGDATABASE: 'gatehouse', PGUSER: 'gatehouse_owner', BACKUP_FOLDER: folder, BACKUP_KEEP_DAYS: '14' },
    encoding: 'utf8',
  })

  t.test('backup.sh: a private file; old ones are removed, others are kept', async t => {
    const age = (name: string, days: number) => {
      writeFileSync(join(folder, name), '')
      utimesSync(join(folder, name), 0, Date.now() / 1_000 - days * 86_400)
    }
    age('gatehouse-old.dump', 16)
    age('gatehouse-broken.dump.part', 16)
    age('gatehouse-recent.dump', 13)
    age('another-file', 100)
    const [, file = ''] = backup().match(/^Wrote (.*)\n$/) ?? []
    t.equal(statSync(file).mode & 0o777, 0o600)
    t.strictSame(readdirSync(folder).sort(),
      ['another-file', 'gatehouse-recent.dump', file.split('/').at(-1)].sort())
  })

  t.test('backup.sh: a failed dump is no dump', async t => {
    const dumps = () => readdirSync(folder).filter(name => name.endsWith('.dump'))
    const before = dumps()
    t.throws(() => execFileSync('deploy/postgres/backup.sh', {
      env: { ...env, PGDATABASE: 'missing', PGUSER: 'gatehouse_owner', BACKUP_FOLDER: folder },
      stdio: 'ignore',
    }))
    t.strictSame(dumps(), before)
  })

  t.test('restore: everything is lost, then users sign in again', async t => {
    const dump = readdirSync(folder).filter(name => /^gatehouse-\d.*\.dump$/.test(name)).at(-1) as string
    psql('DROP DATABASE gatehouse WITH (FORCE)')
    for (const role of ['gatehouse_app', 'gatehouse', 'gatehouse_owner']) psql(`DROP ROLE ${role}`)
    for (const role of ROLES) psql(role)
    psql('CREATE DATABASE gatehouse OWNER gatehouse_owner')

    const service = join(makeFolder(t, 'service'), 'pg_service.conf')
    writeFileSync(service, `[gatehouse]\nhost=127.0.0.1\nport=${env.PGPORT}\ndbname=gatehouse\nuser=gatehouse_owner\n`)
    for (const line of documented('Backup', 'PGSERVICE=gatehouse createuser', 'pg_restore')) {
      execFileSync('sh', ['-euc', line.replace('gatehouse.dump', join(folder, dump))],
        { env: { ...env, PGSERVICEFILE: service }, stdio: 'pipe' })
    }
    t.not(await signIn(), 200, 'before gatehouse migrate, privileges are missing')
    t.match(await command('migrate'), { code: 0 })
    t.equal(await signIn(), 200)
  })
})
