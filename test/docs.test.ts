import { execFileSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'
import type { Claims } from '../plugins/credentials/tokens.ts'
import { Settings } from '../src/config.ts'
import { SECRETS } from '../src/settings/secret-files.ts'
import { createBrowser, createUser } from './support/browser.ts'
import { build, JWT_SECRET } from './support/build.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter(file => file.endsWith('.md'))
    .map(file => `docs/${file}`),
]
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** Variables of Node, OpenTelemetry, the tests or deploy/compose.yaml, which are no settings of the service. */
const OTHER_SETTINGS = [
  /^(NODE_EXTRA_CA_CERTS|NO_COLOR|FORCE_COLOR|OTEL_\w*)$/,
  /^(FAULT_(SEED|STEPS)|FUZZ_(SEED|PATH)|SOAK_SECONDS)$/,
  /^(POSTGRES_PASSWORD|GATEHOUSE_DB_PASSWORD|REDIS_PASSWORD)$/,
]

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')
const withoutCode = (markdown: string) => markdown.replace(/^\s*```[^]*?^\s*```/gm, '')

/** The anchors that GitHub makes from headings. */
function anchorsOf (page: string): string[] {
  const headings = withoutCode(read(page)).matchAll(/^#{1,6} (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-')
  )
}

function linksOf (page: string): string[] {
  const links = withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)
  return [...links].map(([, target = '']) => target).filter(target => !/^[a-z]+:/.test(target))
}

function isSetting (name: string): boolean {
  const known = [...Object.keys(Settings.properties), ...SECRETS.map(secret => `${secret}_FILE`)]
  return (
    known.includes(name) ||
    (name.endsWith('_') && known.some(each => each.startsWith(name))) ||
    OTHER_SETTINGS.some(pattern => pattern.test(name))
  )
}

for (const page of PAGES) {
  t.test(`${page}: every link, command and setting exists`, async t => {
    for (const link of linksOf(page)) {
      const [path = '', anchor] = link.split('#')
      const target = path ? relative(ROOT, join(ROOT, dirname(page), path)) : page
      t.ok(existsSync(join(ROOT, target)), `${link} leads to a file`)
      if (anchor && existsSync(join(ROOT, target))) {
        t.ok(anchorsOf(target).includes(anchor), `${link} leads to a heading`)
      }
    }
    const text = read(page)
    for (const [, name = ''] of text.matchAll(/npm run (?:-s )?([\w:]+)/g)) t.ok(name in scripts, `npm run ${name}`)
    for (const [, name = ''] of text.matchAll(/(?:`|^|run )gatehouse (?:-- )?([a-z]+)/gm)) {
      t.ok(existsSync(join(ROOT, `src/cli/${name}.ts`)), `gatehouse ${name}`)
    }
    for (const name of new Set(text.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+/g))) t.ok(isSetting(name), name)
  })
}

t.test('docs/README.md: links to every page', async t => {
  const linked = linksOf('docs/README.md').map(link => `docs/${link}`)
  t.strictSame(
    PAGES.filter(page => page.startsWith('docs/') && page !== 'docs/README.md' && !linked.includes(page)),
    []
  )
})

/** The results of the code in docs/integrating.md, in a process with only the settings that the page names. */
function readByTheCodeOfThePage (tokens: string[], secrets: Record<string, string>): Array<{ userId: string } | null> {
  const code = read('docs/integrating.md').match(/```js\n([^`]*readAccessToken[^]*?)```/)?.[1] ?? ''
  const ask = 'console.log(JSON.stringify(await Promise.all(JSON.parse(process.argv[1]).map(readAccessToken))))'
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', `${code}\n${ask}`, JSON.stringify(tokens)], {
      cwd: ROOT,
      env: secrets,
      encoding: 'utf8',
    })
  )
}

t.test('docs/integrating.md: the code accepts only access tokens of the service', async t => {
  const { app, owner } = await build(t)
  const { id, username } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  const [access = '', refresh = ''] = ['access_token', 'refresh_token'].map(name => browser.cookies.get(name))
  const claims = app.tokens.read(access, 'access') as Claims
  const expired = app.tokens.sign({ ...claims, exp: claims.iat - 1 })
  const [, payload = ''] = access.split('.')
  const signed = (algorithm: string, hash: string, secret = JWT_SECRET) => {
    const text = `${Buffer.from(JSON.stringify({ alg: algorithm, typ: 'JWT' })).toString('base64url')}.${payload}`
    return `${text}.${algorithm === 'none' ? '' : createHmac(hash, secret).update(text).digest('base64url')}`
  }
  const other = randomBytes(64).toString('base64url')
  const refused = [
    refresh,
    expired,
    signed('none', ''),
    signed('HS512', 'sha512'),
    signed('HS256', 'sha256', other),
    `${access}x`,
    '',
    'nonsense',
  ]

  const answers = readByTheCodeOfThePage([access, signed('HS256', 'sha256'), ...refused], { JWT_SECRET })
  t.match(answers.slice(0, 2), [{ userId: id }, { userId: id }])
  t.strictSame(
    answers.slice(2),
    refused.map(() => null)
  )
  t.match(readByTheCodeOfThePage([access], { JWT_SECRET: other, JWT_SECRET_PREVIOUS: JWT_SECRET }), [{ userId: id }])
})
