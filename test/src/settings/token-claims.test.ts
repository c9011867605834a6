import t from 'tap'
import { loadConfig, SettingsError } from '../../../src/config.ts'
import { RESERVED_CLAIMS, tokenClaimsIn } from '../../../src/settings/token-claims.ts'
import { JWT_SECRET } from '../../support/build.ts'
import { RESOURCES } from '../../support/openid/resources.ts'

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
function problemsOf (TOKEN_CLAIMS: string, settings: Record<string, string> = {}): string[] {
  try {
    loadConfig({ ...BASE, ...settings, TOKEN_CLAIMS }, {})
    return []
  } catch (error) {
    return (error as SettingsError).problems
  }
}

t.test('TOKEN_CLAIMS: names, and scopes after a colon', async t => {
  const { TOKEN_CLAIMS } = loadConfig({ ...BASE, TOKEN_CLAIMS: 'roles:profile, tenant ,plan_2:my-scope' }, {})
  t.strictSame(tokenClaimsIn(TOKEN_CLAIMS), [
    { name: 'roles', scope: 'profile' }, { name: 'tenant' }, { name: 'plan_2', scope: 'my-scope' },
  ])
  t.strictSame(loadConfig(BASE, {}).TOKEN_CLAIMS, [])
})

t.test('TOKEN_CLAIMS: what tokens say themselves is refused, in one line', async t => {
  for (const name of [...RESERVED_CLAIMS.filter(each => /^[a-z]/i.test(each)), 'Sub', 'EMAIL', 'userid']) {
    t.strictSame(problemsOf(`roles,${name}`), [
      `TOKEN_CLAIMS contains "${name}": tokens have this claim already, or a standard gives it a meaning. ` +
      'Give the member another name.',
    ])
  }
  for (const name of [
    'iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'sid', 'amr', 'acr', 'auth_time', 'scope', 'azp', 'cnf', 'act',
    'client_id', 'username', 'email', 'email_verified', 'name', 'preferred_username', 'locale', 'zoneinfo',
  ]) t.ok(RESERVED_CLAIMS.includes(name), name)
})

t.test('TOKEN_CLAIMS: wrong names and scopes, one line for each', async t => {
  for (const [list, problem, settings] of [
    ['a b', /a name begins with a letter/], ['__proto__', /a name begins with a letter/],
    ['roles,,tenant', /"": a name begins/], ['x'.repeat(65), /a name begins/],
    ['roles,roles:profile', /"roles:profile": it is named twice/],
    ['roles:', /the name of a scope/], ['roles:a b', /the name of a scope/], ['roles:a:b', /the name of a scope/],
    ['roles:offline_access', /is no claim/],
    ['roles:orders:read', /the name of a scope/, RESOURCES],
    ['roles:profile', /needs OPENID=on/, { OPENID: 'off' }],
  ] as const) {
    const problems = problemsOf(list, settings)
    t.match(problems, [problem], list)
    t.match(problems[0], /^TOKEN_CLAIMS contains ".*": .*\.$/)
  }
  const resource = { ...RESOURCES, OPENID_RESOURCE_ORDERS_SCOPES: 'orders=See' }
  t.match(problemsOf('roles:orders', resource), [/belongs to a resource/])
  t.strictSame(problemsOf('roles', { OPENID: 'off' }), [])
})
