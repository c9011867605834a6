import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { OFFLINE_LIFETIME } from '../../plugins/openid/grant-storage.ts'
import { MAX_WAITING_PER_THREAD } from '../../plugins/passwords/passwords.ts'
import { KINDS } from '../../plugins/records/audit/events.ts'
import { GRACE_PERIOD } from '../../plugins/records/openid/application-refreshes.ts'
import { MAX_SESSIONS } from '../../plugins/records/sessions/sessions-store.ts'
import { REFRESH_LIFETIME } from '../../plugins/sessions/session-tokens.ts'
import { Settings } from '../../src/config.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { OPAQUE_LIFETIME, PROVIDER_SETTINGS } from '../../src/openid/provider-settings.ts'
import { QUICK_TIMEOUT, SLOW_TIMEOUT } from '../../src/passwords/strength.ts'
import { ACCESS_LIFETIME } from '../../src/sessions/session.ts'
import { operationsOf } from '../../src/site/openapi.ts'
import { buildShared } from '../support/build.ts'

const ROOT = join(import.meta.dirname, '../..')
const DAY = 24 * 60 * 60
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const DOCUMENT = read('docs/security-decisions.md')
const [, LIMITS_TEXT = ''] = read('docs/configuration.md').split('\n## Limits\n')

function section (title: string): string {
  const found = DOCUMENT.split(/^## /m).find(each => each.startsWith(`${title}\n`))
  if (!found) throw new Error(`docs/security-decisions.md has no section ${title}`)
  return found
}

t.test('every input string has a maximum length, every object is closed', async t => {
  const { app } = await buildShared(t)
  const open: string[] = []
  let fields = 0
  const look = (schema: Record<string, any>, at: string) => {
    if (schema.type === 'object' && schema.additionalProperties !== false && at.endsWith('body')) open.push(at)
    for (const [name, field] of Object.entries<Record<string, any>>(schema.properties ?? {})) {
      look(field, `${at}.${name}`)
    }
    if (schema.type !== 'string' || schema.const !== undefined || schema.enum) return
    fields++
    if (!(schema.maxLength <= 4_096)) open.push(at)
  }
  for (const { operationId, parameters = [], requestBody } of operationsOf(
    (await app.inject('/openapi.json')).json()
  ) as Array<Record<string, any>>) {
    for (const { name, schema } of parameters) look(schema, `${operationId}.${name}`)
    const body = requestBody?.content['application/json']
    if (body) look(body.schema, `${operationId}.body`)
  }
  t.ok(fields >= 20, `${fields} fields`)
  t.strictSame(open, [])
})

t.test('section on valid input: names the fields that must agree', async t => {
  for (const field of ['password', 'current', 'token', 'state', 'X-CSRF-Token']) {
    t.match(section('What is valid'), `\`${field}\``)
  }
})

t.test('section on ways to sign in: complete', async t => {
  const ways = ['Password', 'Passkey', 'Code of', 'Recovery code', 'A provider', 'Refresh token', 'lock the owner out']
  for (const way of ways) t.match(section('Ways to sign in'), way)
  for (const name of ['Login', 'Account', 'Sensitive', 'General', 'Mail']) t.match(LIMITS_TEXT, `| ${name} | `)
})

t.test('section on sessions: the figures match the code', async t => {
  const text = section('Sessions')
  t.match(text, `ends after ${REFRESH_LIFETIME / DAY} days; an access token after ${ACCESS_LIFETIME / 60} minutes`)
  t.match(text, `| Concurrent sessions of one account | ${MAX_SESSIONS}.`)
  t.match(text, `\`SESSION_MAX_AGE\`, ${Settings.properties.SESSION_MAX_AGE.default} days`)
  for (const decision of ['Concurrent sessions of one account', 'Sign-in through a provider', 'NIST SP 800-63B']) {
    t.match(text, decision)
  }
})

t.test('section on the OpenID provider: the figures match the code', async t => {
  const text = section('OpenID provider')
  const { ttl } = PROVIDER_SETTINGS
  t.match(text, `A code ${ttl.AuthorizationCode / 60} minute, an access token ${OPAQUE_LIFETIME / 60} minutes, ` +
    `an ID token ${ttl.IdToken / 3_600} hour, a pushed request ${ttl.PushedAuthorizationRequest / 60} minute, ` +
    `a sign-in under way ${ttl.Interaction / 3_600} hour.`)
  t.match(text, `a session of its own: ${OFFLINE_LIFETIME / DAY} days from its last use, at most \`SESSION_MAX_AGE\``)
  t.match(text, `the grace period of ${GRACE_PERIOD}`)
  const { app } = await buildShared(t)
  const { max, windowSeconds } = figuresOf(LIMITS.wrongClients, app.config)
  t.match(text, `${max} wrong ones in ${windowSeconds / 60} minutes`)
})

t.test('docs/limits.md: the limits of the OpenID provider match the code', async t => {
  const { app } = await buildShared(t)
  for (const limit of [LIMITS.openid, LIMITS.applications, LIMITS.wrongClients, LIMITS.machines]) {
    const { max, windowSeconds } = figuresOf(limit, { ...app.config, LIMIT_GENERAL_MAX: 100 })
    const [row = ''] = read('docs/limits.md').match(new RegExp(`^\\| \`${limit.name}\` .*`, 'm')) ?? []
    t.match(row, `| ${max.toLocaleString('en')} in ${windowSeconds / 60} minutes |`, limit.name)
  }
})

t.test('section on the second factor: the figures and names match the code', async t => {
  const text = section('Second factor')
  t.match(text, '| Wrong codes | Ten in an hour')
  const { app, owner } = await buildShared(t)
  t.strictSame(figuresOf(LIMITS.codes, app.config), { max: 10, windowSeconds: 3_600 })
  // That there are five is tested in test/routes/login/second-factor.test.ts.
  t.match(text, 'with five tries')
  for (const name of ['users.factors_version', 'totp.last_step', 'recovery_codes.used_at', 'used_challenges']) {
    t.match(text, `\`${name}\``)
    const [table, column = '*'] = name.split('.')
    await t.resolves(owner.query(`SELECT ${column} FROM ${table}`), name)
  }
  for (const value of ['off', 'required']) t.match(text, `\`SECOND_FACTOR=${value}\``)
})

t.test('section on permissions: every role, and the fields no client can set', async t => {
  const words = ['anonymous clients', 'signed-in users', 'the owner role', '`disabled_at`', '`email_verified_at`']
  for (const word of words) t.match(section('Who may do what'), word)
})

t.test('section on keys: lists every secret of the settings', async t => {
  const text = section('Keys and algorithms')
  for (const name of Object.keys(Settings.properties).filter(each => /SECRET/.test(each))) {
    t.match(text, `\`${name}\``)
  }
  const { default: cost, minimum } = Settings.properties.BCRYPT_COST
  t.match(text, `cost \`BCRYPT_COST\` (${cost}; never below ${minimum})`)
})

t.test('section on connections: lists every address of the settings', async t => {
  const text = section('External connections')
  const addresses = Object.keys(Settings.properties).filter(
    name => /_URL$/.test(name) && !/^(PUBLIC|MIGRATION|OPERATOR)|AUTHORIZE/.test(name)
  )
  t.strictSame([...new Set([...text.matchAll(/`([A-Z_]+_URL)`/g)].map(([, name]) => name))].sort(), addresses.sort())
})

t.test('section on data: lists the columns with personal data', async t => {
  for (const column of ['email', 'name', 'username']) t.match(section('Data'), `\`${column}\``)
  // That they are deleted then is tested in test/plugins/records/purge.test.ts.
  t.match(section('Data'), 'events 180 days')
})

t.test('section on logs: lists every event', async t => {
  t.match(section('Logs'), '[Events](events.md)')
  const listed = [...read('docs/events.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  t.strictSame(listed, KINDS)
  t.match(section('Logs'), '| events of the `gatehouse` command: kind, user id | Only `auth_events` |')
})

t.test('section on expensive operations: the limits match the code', async t => {
  const text = section('Expensive operations')
  t.match(text, `on each core. ${MAX_WAITING_PER_THREAD} waiting for each core`)
  const [slow, quick] = [SLOW_TIMEOUT / 1_000, QUICK_TIMEOUT / 1_000]
  t.match(text, `time limit: ${slow} s for what may be hostile, ${quick} s for the rest`)
  const { app } = await buildShared(t)
  const { initialConfig: { bodyLimit = 0 }, server: { requestTimeout } } = app
  t.match(text, `| ${bodyLimit / 1_024} KiB, ${requestTimeout / 1_000} s to arrive`)
})

t.test('section on dependencies: deadlines for updates', async t => {
  t.match(section('Dependencies'), /within 3 days if it is critical, 14 days if it is high, and 90 days otherwise/)
})
