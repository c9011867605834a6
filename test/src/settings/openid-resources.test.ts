import t from 'tap'
import { loadConfig, SettingsError } from '../../../src/config.ts'
import { JWT_SECRET } from '../../support/build.ts'
import { ORDERS, RESOURCES } from '../../support/openid/resources.ts'

const BASE = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://gatehouse:x@db/gatehouse',
  REDIS_URL: 'redis://redis',
  SMTP_URL: 'smtps://mail.example.com',
  PUBLIC_URL: 'https://auth.example.org',
  JWT_SECRET,
  OPENID: 'on',
}

/** One line for each problem. */
function problemsOf (settings: Record<string, string>): string[] {
  try {
    loadConfig({ ...BASE, ...RESOURCES, ...settings }, {})
    return []
  } catch (error) {
    return (error as SettingsError).problems
  }
}

t.test('OPENID_RESOURCES: each with its URI, scopes and words', async t => {
  const { resources } = loadConfig({ ...BASE, ...RESOURCES, OPENID_RESOURCE_ORDERS_SCOPES: 'a ; b = x=y;c=' }, {})
  t.match(resources, [{
    name: 'orders',
    uri: ORDERS,
    description: 'Your orders at Example',
    scopes: [{ name: 'a', description: '' }, { name: 'b', description: 'x=y' }, { name: 'c', description: '' }],
    tokens: 'jwt',
    open: 'off',
  }, { name: 'reports', tokens: 'jwt' }, { name: 'vault', tokens: 'opaque' }])
  t.strictSame(loadConfig(BASE, {}).resources, [])
})

t.test('OPENID_RESOURCES: never an audience of service tokens, in one line', async t => {
  for (const audience of [ORDERS, `billing,${ORDERS}`, 'https://API.example.org/x/../orders']) {
    const problems = problemsOf({ TOKEN_AUDIENCES: audience })
    t.equal(problems.length, 1, audience)
    t.match(problems[0], /^OPENID_RESOURCE_ORDERS_URI is one of TOKEN_AUDIENCES: /)
  }
  t.strictSame(problemsOf({ TOKEN_AUDIENCES: 'orders,https://api.example.org' }), [])
})

t.test('OPENID_RESOURCES: what is missing or wrong, in one line for each', async t => {
  for (const [setting, value, says] of [
    ['OPENID_RESOURCES', 'Orders', /^OPENID_RESOURCES contains "Orders": a name has/],
    ['OPENID_RESOURCES', 'orders,orders', /^OPENID_RESOURCES contains "orders" twice/],
    ['OPENID_RESOURCE_ORDERS_URI', '', /_URI is missing/],
    ['OPENID_RESOURCE_ORDERS_URI', 'http://api.example.org', /_URI must be the https:/],
    ['OPENID_RESOURCE_ORDERS_URI', 'orders', /_URI must be the https:/],
    ['OPENID_RESOURCE_ORDERS_URI', 'https://api.example.org/?a', /_URI must be the https:/],
    ['OPENID_RESOURCE_ORDERS_URI', 'https://api.example.org/#a', /_URI must be the https:/],
    ['OPENID_RESOURCE_ORDERS_URI', 'https://API.example.org/', /_URI must be the https:/],
    ['OPENID_RESOURCE_ORDERS_URI', 'https://a@api.example.org', /_URI must be the https:/],
    ['OPENID_RESOURCE_ORDERS_URI', 'https://auth.example.org', /_URI is PUBLIC_URL/],
    ['OPENID_RESOURCE_VAULT_URI', ORDERS, /_URI is the URI of another resource/],
    ['OPENID_RESOURCE_ORDERS_DESCRIPTION', '', /_DESCRIPTION must say/],
    ['OPENID_RESOURCE_ORDERS_DESCRIPTION', 'x'.repeat(201), /_DESCRIPTION must say/],
    ['OPENID_RESOURCE_ORDERS_DESCRIPTION', 'a\u202eb', /_DESCRIPTION must say/],
    ['OPENID_RESOURCE_ORDERS_SCOPES', '', /_SCOPES is missing/],
    ['OPENID_RESOURCE_ORDERS_SCOPES', 'email=Mail', /_SCOPES contains "email"/],
    ['OPENID_RESOURCE_ORDERS_SCOPES', 'a b', /_SCOPES contains "a b"/],
    ['OPENID_RESOURCE_ORDERS_SCOPES', 'a;a', /_SCOPES contains "a" twice/],
    ['OPENID_RESOURCE_ORDERS_SCOPES', `a=${'x'.repeat(201)}`, /_SCOPES has a description/],
    ['OPENID_RESOURCE_ORDERS_OPEN', 'true', /_OPEN is "true": choose one of off, on/],
    ['OPENID_RESOURCE_ORDERS_TOKENS', 'JWT', /_TOKENS is "JWT": choose one of jwt, opaque/],
  ] as const) {
    const problems = problemsOf({ [setting]: value })
    t.equal(problems.length, 1, `${setting}=${value}: ${problems.join('\n')}`)
    t.match(problems[0], says)
  }
})

t.test('OPENID_REGISTRATION: off by default, and only with OPENID=on', async t => {
  t.equal(loadConfig(BASE, {}).OPENID_REGISTRATION, 'off')
  t.strictSame(problemsOf({ OPENID_REGISTRATION: 'open' }), [])
  t.match(problemsOf({ OPENID: 'off', OPENID_REGISTRATION: 'documents' }), [/^OPENID_REGISTRATION needs OPENID=on/])
  t.match(problemsOf({ OPENID_REGISTRATION: 'on' }), [/OPENID_REGISTRATION/])
})
