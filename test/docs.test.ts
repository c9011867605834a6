import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'
import { Settings } from '../src/config.ts'
import { SECRETS } from '../src/settings/secret-files.ts'
import { operationsOf, type OpenApi } from '../src/site/openapi.ts'

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

/** A file or folder of the project in backticks. */
const PATH = /`((?:bench|demo|deploy|migrations|native|operator|pages|plugins|routes|schemas|src|test)\/[\w./-]*)`/g

/** Variables of Node, OpenTelemetry, the tests or deploy/compose.yaml, which are no settings of the service. */
const OTHER_SETTINGS = [
  /^(NODE_EXTRA_CA_CERTS|NO_COLOR|FORCE_COLOR|OTEL_\w*)$/,
  /^(FAULT_(SEED|STEPS)|FUZZ_(SEED|PATH)|SOAK_SECONDS)$/,
  // Of names in PROVIDERS, as examples.
  /^PROVIDER_(GITLAB|ENTRA|OKTA|KEYCLOAK|NAME)_(ISSUER|CLIENT_ID|CLIENT_SECRET|NAME|SCOPE)$/,
  // Of names in OPENID_RESOURCES, as examples.
  /^OPENID_RESOURCE_(ORDERS|REPORTS|NOTES|NAME)_(URI|DESCRIPTION|SCOPES|TOKENS|OPEN)$/,
  // Of the applications in docs/openid.md.
  /^((CLIENT|API)_(ID|SECRET)|SESSION_SECRET|SECRET_KEY|SESSION_COOKIE_(SECURE|SAMESITE)|O(IDC|AUTH2)_CLAIM_)$/,
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
  t.test(`${page}: every link, path, command and setting exists`, async t => {
    for (const link of linksOf(page)) {
      const [path = '', anchor] = link.split('#')
      const target = path ? relative(ROOT, join(ROOT, dirname(page), path)) : page
      t.ok(existsSync(join(ROOT, target)), `${link} leads to a file`)
      if (anchor && existsSync(join(ROOT, target))) {
        t.ok(anchorsOf(target).includes(anchor), `${link} leads to a heading`)
      }
    }
    const text = read(page)
    for (const [, path = ''] of text.matchAll(PATH)) t.ok(existsSync(join(ROOT, path)), path)
    for (const [, name = ''] of text.matchAll(/npm run (?:-s )?([\w:]+)/g)) t.ok(name in scripts, `npm run ${name}`)
    for (const [, name = ''] of text.matchAll(/(?:`|^|run )gatehouse (?:-- )?([a-z][a-z-]*)/gm)) {
      t.ok(globSync(join(ROOT, `src/cli/**/${name}.ts`)).length > 0, `gatehouse ${name}`)
    }
    for (const [, name = '', action = ''] of text.matchAll(/(?:`|^)gatehouse ([a-z][a-z-]*) ([a-z][a-z-]*)/gm)) {
      const [file = ''] = globSync(join(ROOT, `src/cli/**/${name}.ts`))
      const source = readFileSync(file, 'utf8')
      if (!source.includes('subcommands(')) continue
      t.match(source, new RegExp(`^  ${action}\\s|gatehouse ${name} ${action} `, 'm'), `${name} ${action}`)
    }
    for (const name of new Set(text.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+/g))) t.ok(isSetting(name), name)
  })
}

t.test('docs/README.md: links to every page', async t => {
  const linked = linksOf('docs/README.md').map(link => `docs/${link.replace(/#.*/, '')}`)
  t.strictSame(
    PAGES.filter(page => page.startsWith('docs/') && page !== 'docs/README.md' && !linked.includes(page)),
    []
  )
})

t.test('docs/api.md: lists every route of openapi.json', async t => {
  const operations = operationsOf(JSON.parse(read('openapi.json')) as OpenApi)
  const listed = [...read('docs/api.md').matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/\S*)`/g)].map(([, route]) => route)
  t.strictSame(listed.sort(), operations.map(({ method, path }) => `${method} ${path}`).sort())
})
