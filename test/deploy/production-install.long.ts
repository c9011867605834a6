import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import t, { type Test } from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { createUser, PASSWORD } from '../support/browser.ts'
import { createDatabase, withoutRedis } from '../support/build.ts'
import { eventually, HANG_TIMEOUT, WAIT_LIMIT } from '../support/patience.ts'
import { as, buildImage, type Image } from '../support/deploy/image.ts'
import { productionSettings, PUBLIC_URL } from '../support/deploy/instances.ts'

const ONE_AT_A_TIME = /each core checks one password at a time/

/** Its variables, with the folders of the image, and on the PATH those of this machine, where Node is. */
function variablesOf ({ root, env, workdir }: Image): Record<string, string | undefined> {
  const own = Object.entries(env).map(([name, value]) => [name, value.replaceAll(`${workdir}/`, `${root}${workdir}/`)])
  const variables = Object.fromEntries(own)
  return { ...variables, PATH: variables.PATH.replace('$PATH', process.env.PATH) }
}

/** With only the environment of a container: tap would pass on its own variables. */
function inContainer (image: Image, command: string[], env: Record<string, string> = {}) {
  const variables = { ...variablesOf(image), HOST: '127.0.0.1', ...env }
  const args = ['-i', ...Object.entries(variables).map(pair => pair.join('=')), ...as(image.user), ...command]
  return ['env', args, { cwd: join(image.root, image.workdir) }] as const
}

function run (image: Image, command: string[], env?: Record<string, string>) {
  const [program, args, options] = inContainer(image, command, env)
  return spawnSync(program, args, { ...options, encoding: 'utf8', timeout: WAIT_LIMIT })
}

function start (t: Test, image: Image, env: Record<string, string>) {
  const [program, args, options] = inContainer(image, [...image.entrypoint, ...image.command], env)
  const service = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { text: '' }
  service.stdout.on('data', chunk => {
    said.text += chunk
  })
  service.stderr.on('data', chunk => {
    said.text += chunk
  })
  t.teardown(() => service.kill('SIGKILL'))
  return { service, said, ended: once(service, 'exit') }
}

/** Undefined if the process has closed it meanwhile. */
function openFile (pid: number, fd: string) {
  try {
    const flags = /flags:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
    return { path: readlinkSync(`/proc/${pid}/fd/${fd}`), isWritable: (Number.parseInt(flags, 8) & 3) !== 0 }
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
  }
}

/** Regular files that a process of the user could write to. */
function filesOpenForWriting (pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`)
    .map(fd => openFile(pid, fd))
    .flatMap(file => file?.isWritable ? [file.path] : [])
    .filter(path => path.startsWith('/') && !path.startsWith('/dev/'))
}

t.test('Dockerfile: its steps build a working service', { skip: withoutRedis, timeout: HANG_TIMEOUT }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-image-'))
  t.teardown(() => {
    execFileSync('chmod', ['-R', 'u+w', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  execFileSync('chmod', ['755', folder])
  const image = buildImage(folder)
  execFileSync('chmod', ['-R', 'a-w,a+rX', image.root])
  const app = join(image.root, image.workdir)

  t.test('image: only the built service and its packages', async t => {
    t.strictSame(readdirSync(app).sort(), ['bin', 'dist', 'node_modules', 'package.json', 'sbom.json'])
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    const installed = JSON.parse(readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8'))
      .packages as Record<string, { dev?: boolean, version: string }>
    t.strictSame(
      Object.keys(dependencies).filter(name => !existsSync(join(app, 'node_modules', name))),
      []
    )
    t.strictSame(
      Object.entries(installed)
        .filter(([, { dev }]) => dev)
        .map(([name]) => name),
      []
    )
    t.strictSame(
      readdirSync(join(folder, 'build', image.workdir)).filter(name =>
        ['.git', '.data', '.env', 'test', 'bench', 'deploy', 'docs'].includes(name)
      ),
      [],
      'nor were they in the build stage'
    )
    const { bomFormat, components } = JSON.parse(readFileSync(join(app, 'sbom.json'), 'utf8'))
    const listed = new Set(components.map(({ name, version }: Record<string, string>) => `${name} ${version}`))
    t.equal(bomFormat, 'CycloneDX')
    t.strictSame(
      Object.entries(installed)
        .map(([path, { version }]) => `${path.split('node_modules/').at(-1)} ${version}`)
        .filter(each => !listed.has(each)),
      [],
      'the bill of materials names each package'
    )
    const kilobytes = Number(execFileSync('du', ['-sk', app], { encoding: 'utf8' }).split('\t')[0])
    t.comment(`${Math.round(kilobytes / 1024)} MB on top of Node`)
    t.ok(kilobytes < 95 * 1024)
    t.equal(image.user, '1000:1000', 'a number, so that Kubernetes knows that it is not root')
  })

  t.test(
    'image: no file is writable for its user',
    { skip: process.getuid?.() === 0 ? false : 'needs root to become another user' },
    async t => {
      t.not(run(image, ['touch', join(app, 'dist/x')]).status, 0)
      t.equal(run(image, ['find', image.root, '-writable', '-not', '-type', 'l']).stdout, '')
    }
  )

  t.test('image: starts with what the build has compiled', async t => {
    const { stderr } = run(image, ['gatehouse', '--help'], { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' })
    t.match(stderr, /V8 code cache for ESM .*\/chunks\/command\.js was accepted/)
    t.notMatch(stderr, 'rejected')
  })

  t.test('image: labels', async t => {
    const { version, description, license } = JSON.parse(readFileSync('package.json', 'utf8'))
    const label = (name: string) => image.labels[`org.opencontainers.image.${name}`]
    t.strictSame(
      ['title', 'version', 'description', 'licenses', 'revision'].map(label),
      ['Gatehouse', version, description, license, 'unknown']
    )
    t.match(label('base.name'), `node:${process.versions.node}-`)
  })

  t.test('image: gatehouse is on the PATH', async t => {
    t.match(run(image, ['gatehouse', '--help']), { status: 0, stdout: /^Usage: gatehouse/ })
    t.strictSame(image.entrypoint, ['gatehouse'])
  })

  t.test('image: missing or weak settings are refused, one line each', async t => {
    const nothing = run(image, [...image.entrypoint, ...image.command])
    t.equal(nothing.status, 1)
    t.equal(nothing.stdout, '')
    t.strictSame(
      nothing.stderr
        .trim()
        .split('\n')
        .map(line => line.split(' ')[0]),
      ['DATABASE_URL', 'JWT_SECRET', 'REDIS_URL', 'SMTP_URL', 'PUBLIC_URL']
    )
    const weak = run(image, [...image.entrypoint, ...image.command], {
      DATABASE_URL: 'postgres://x@127.0.0.1/x',
      REDIS_URL: 'redis://127.0.0.1',
      SMTP_URL: 'smtp://127.0.0.1',
      PUBLIC_URL: 'http://auth.example.com',
      JWT_SECRET: 'x'.repeat(64),
      TRUST_PROXY: '1',
    })
    t.equal(weak.status, 1)
    t.strictSame(
      weak.stderr
        .trim()
        .split('\n')
        .map(line => line.split(' ')[0]),
      ['JWT_SECRET', 'TRUST_PROXY', 'PUBLIC_URL']
    )
  })

  t.test('image: migrates, starts, serves and stops', async t => {
    const { settings } = await productionSettings(t)
    const { owner, settings: database } = await createDatabase(t, { empty: true })
    const port = await freePort()
    const env = { ...settings, ...database, PORT: String(port) }
    t.not(run(image, image.healthcheck, env).status, 0, 'the health check fails before the start')

    const migration = run(image, [...image.entrypoint, 'migrate'], env)
    t.match(migration, { status: 0, stdout: /^Applied: 21 schema/ })
    const { MIGRATION_DATABASE_URL, ...withoutOwner } = env
    const { service, said, ended } = start(t, image, withoutOwner)
    await eventually(() => run(image, image.healthcheck, env).status, status => status === 0).catch(error => {
      throw new Error(`${error.message}: ${said.text}`)
    })

    const user = await createUser(owner)
    const ask = (path: string, body?: object) =>
      fetch(
        `http://127.0.0.1:${port}${path}`,
        body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      )
    t.equal((await ask('/health')).status, 200)
    t.equal((await ask('/login', { username: user.username, password: user.password })).status, 200)
    t.equal(
      (await ask('/register', { username: 'somebody', email: 'somebody@example.com', password: PASSWORD })).status,
      202,
      'the password rating worker runs'
    )
    t.match(await (await ask('/login')).text(), '<!doctype html>')
    t.notMatch(said.text, ONE_AT_A_TIME)
    t.strictSame(filesOpenForWriting(service.pid as number), [])

    service.kill('SIGTERM')
    t.strictSame(await ended, [0, null])
  })

  t.test('image: OPENID=on signs users in to an application', async t => {
    const { owner, settings } = await productionSettings(t)
    const port = await freePort()
    const env = { ...settings, OPENID: 'on', PORT: String(port) }
    const callback = 'https://app.example.org/callback'
    const added = run(image, ['gatehouse', 'app', 'add', 'Orders', '--redirect', callback, '--trusted'], env)
    const [, id = ''] = /^client_id: (\S+)$/m.exec(added.stdout) ?? []
    const [, secret = ''] = /^secret: (\S+)$/m.exec(added.stdout) ?? []
    const { service, said, ended } = start(t, image, env)
    await eventually(() => said.text, text => text.includes('Server listening'))

    const user = await createUser(owner)
    const url = `http://127.0.0.1:${port}`
    const signedIn = await fetch(`${url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: user.username, password: user.password }),
    })
    const cookie = signedIn.headers.getSetCookie().map(each => each.split(';')[0]).join('; ')
    const challenge = createHash('sha256').update('a'.repeat(43)).digest('base64url')
    const query = new URLSearchParams({
      client_id: id,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    const back = await fetch(`${url}/oidc/auth?${query}`, { headers: { cookie }, redirect: 'manual' })
    const { searchParams } = new URL(back.headers.get('location') ?? '')
    const exchanged = await fetch(`${url}/oidc/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: searchParams.get('code') ?? '',
        redirect_uri: callback,
        code_verifier: 'a'.repeat(43),
      }),
    })
    t.equal(exchanged.status, 200)
    const { id_token: idToken } = await exchanged.json() as { id_token: string }
    const keys = createLocalJWKSet(await (await fetch(`${url}/.well-known/jwks.json`)).json() as JSONWebKeySet)
    const { payload } = await jwtVerify(idToken, keys, { issuer: PUBLIC_URL, audience: id, algorithms: ['ES256'] })
    t.match(payload, { sub: user.id, email: user.email })
    service.kill('SIGTERM')
    t.strictSame(await ended, [0, null])
  })

  t.test('image: lanes are built in; without them, one line in the log and one of doctor', async t => {
    const { settings } = await productionSettings(t)
    t.match(run(image, ['gatehouse', 'doctor'], settings).stdout, /^ok +hashing +Each core checks up to 4 passwords/m)

    rmSync(join(app, 'dist/native'), { recursive: true })
    const { service, said, ended } = start(t, image, { ...settings, PORT: String(await freePort()) })
    await eventually(() => said.text, text => text.includes('Server listening'))
    const lines = said.text.split('\n').filter(line => ONE_AT_A_TIME.test(line))
    t.equal(lines.length, 1)
    t.match(JSON.parse(lines[0] as string), { level: 'warn', msg: /native\/lanes\.node was not built/ })
    t.match(run(image, ['gatehouse', 'doctor'], settings).stdout, /^warning +hashing .*C compiler/m)
    service.kill('SIGTERM')
    t.strictSame(await ended, [0, null])
  })
})
