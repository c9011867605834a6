import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig, type SettingsError } from '../../../src/config.ts'
import { RESERVED } from '../../../src/settings/open-id-rules.ts'
import { build } from '../../support/build.ts'
import { makeFolder } from '../../support/folder.ts'
import { gatehouse } from '../../support/process.ts'

const SAFE = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://auth.example.com',
  DATABASE_URL: 'postgres://gatehouse@db/gatehouse',
  REDIS_URL: 'redis://cache',
  SMTP_URL: 'smtps://mail.example.com',
  JWT_SECRET: 'kXv4mQ8zR1sT6wY9bC2dF5gH7jK0lN3pU4vX8yZ1aB5cD9eF2gH6iJ0kL3mN7oP1',
}
const GITLAB = {
  PROVIDERS: 'gitlab',
  PROVIDER_GITLAB_ISSUER: 'https://gitlab.com',
  PROVIDER_GITLAB_CLIENT_ID: 'id',
  PROVIDER_GITLAB_CLIENT_SECRET: 's3cret',
}

function problemsOf (env: Record<string, string>): string[] {
  try {
    loadConfig({}, { ...SAFE, ...env })
    return []
  } catch (error) {
    return (error as SettingsError).problems
  }
}

t.test('PROVIDERS: each name has its own settings, hyphens are underscores', async t => {
  t.strictSame(problemsOf(GITLAB), [])
  const { openIdProviders } = loadConfig({}, {
    ...SAFE,
    ...GITLAB,
    PROVIDERS: 'gitlab, my-idp',
    PROVIDER_MY_IDP_ISSUER: 'https://idp.example.com/realms/main',
    PROVIDER_MY_IDP_CLIENT_ID: 'x',
    PROVIDER_MY_IDP_CLIENT_SECRET: 'y',
    PROVIDER_MY_IDP_NAME: 'Our IdP',
    PROVIDER_MY_IDP_SCOPE: 'openid email',
  })
  t.match(openIdProviders, [
    { name: 'gitlab', issuer: 'https://gitlab.com', clientId: 'id', clientSecret: 's3cret', scope: /^openid profile/ },
    { name: 'my-idp', displayName: 'Our IdP', scope: 'openid email' },
  ])
})

for (const [broken, line] of [
  [{ PROVIDERS: 'Git Lab' }, 'PROVIDERS contains "Git Lab": a name has at most 30'],
  [{ PROVIDERS: 'git_lab' }, 'PROVIDERS contains "git_lab": a name has'],
  [{ PROVIDERS: '-x' }, 'PROVIDERS contains "-x": a name has'],
  [{ PROVIDERS: 'x--y' }, 'PROVIDERS contains "x--y": a name has'],
  [{ PROVIDERS: '1st' }, 'PROVIDERS contains "1st": a name has'],
  [{ PROVIDERS: 'x'.repeat(31) }, 'PROVIDERS contains "xxx'],
  [{ PROVIDERS: 'login' }, 'PROVIDERS contains "login", which is reserved'],
  [{ PROVIDERS: 'me' }, 'PROVIDERS contains "me", which is reserved'],
  [{ PROVIDERS: 'token' }, 'PROVIDERS contains "token", which is reserved'],
  [{ PROVIDERS: 'a' }, 'PROVIDERS contains "a", which is reserved'],
  [{ PROVIDERS: 'gitlab,gitlab' }, 'PROVIDERS contains "gitlab" twice'],
  [{ PROVIDER_GITLAB_ISSUER: '' }, 'PROVIDER_GITLAB_ISSUER is missing: set'],
  [{ PROVIDER_GITLAB_ISSUER: 'http://gitlab.com' }, 'PROVIDER_GITLAB_ISSUER must be the https:// URL'],
  [{ PROVIDER_GITLAB_ISSUER: 'gitlab.com' }, 'PROVIDER_GITLAB_ISSUER must be the https:// URL'],
  [{ PROVIDER_GITLAB_ISSUER: 'https://gitlab.com?x' }, 'PROVIDER_GITLAB_ISSUER must be'],
  [{ PROVIDER_GITLAB_ISSUER: 'https://gitlab.com/.well-known/openid-configuration' }, 'PROVIDER_GITLAB_ISSUER must be'],
  [{ PROVIDER_GITLAB_ISSUER: 'https://login.microsoftonline.com/common/v2.0' }, 'PROVIDER_GITLAB_ISSUER must name'],
  [{ PROVIDER_GITLAB_CLIENT_ID: '' }, 'PROVIDER_GITLAB_CLIENT_ID is missing: set'],
  [{ PROVIDER_GITLAB_CLIENT_SECRET: '' }, 'PROVIDER_GITLAB_CLIENT_SECRET is missing: set'],
  [
    { PROVIDER_A_CLIENT_ID: 'x', PROVIDER_A_CLIENT_SECRET: 'y', PROVIDER_A_ISSUER: 'http://accounts.google.com' },
    'PROVIDER_A_ISSUER must be the https:// URL',
  ],
] as Array<[Record<string, string>, string]>) {
  t.test(`${JSON.stringify(broken)}: refused in one line`, async t => {
    const problems = problemsOf({ ...GITLAB, ...broken })
    t.equal(problems.length, 1, problems.join(' | '))
    t.ok(problems.every(problem => problem.startsWith(line)), problems.join())
  })
}

t.test('the start fails in one line; outside production http:// is allowed', async t => {
  const { code, stdout, stderr } = await gatehouse(['serve'], { ...SAFE, ...GITLAB, PROVIDERS: 'login' }).ended
  t.strictSame({ code, stdout, stderr }, {
    code: 1,
    stdout: '',
    stderr: 'PROVIDERS contains "login", which is reserved: use another name.\n',
  })
  t.strictSame(problemsOf({ ...GITLAB, NODE_ENV: 'test', PROVIDER_GITLAB_ISSUER: 'http://127.0.0.1:3000' }), [])
})

t.test('the client secret can be a file', async t => {
  const file = join(makeFolder(t), 'secret')
  writeFileSync(file, 'from-a-file\n')
  const env = { ...SAFE, ...GITLAB, PROVIDER_GITLAB_CLIENT_SECRET: '', PROVIDER_GITLAB_CLIENT_SECRET_FILE: file }
  t.equal(loadConfig({}, env).openIdProviders[0]?.clientSecret, 'from-a-file')
})

t.test('every route of /api/auth is a reserved name', async t => {
  const names = new Set<string>()
  await build(t, {
    before: app => app.addHook('onRoute', ({ url }) => {
      const [, name] = /^\/api\/auth\/([^/]+)/.exec(url) ?? []
      if (name) names.add(name)
    }),
  })
  t.ok(names.size > 10)
  t.strictSame([...names].filter(name => !RESERVED.includes(name)), [])
})
