// The house of CONTRIBUTING.md: which folder uses which, read from the imports and `dependencies`, and where SQL is.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

interface SourceFile {
  path: string
  text: string
  imports: Array<{ path: string, isType: boolean }>
}

const IMPORT = /(?:^|\n)(?:import|export) (type )?[^'\n]*?(?:\{[^}]*\} )?from '(\.[^']+)'|import\('(\.[^']+)'\)/g

function read (path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const imports = [...text.matchAll(IMPORT)].map(([, type, fixed, dynamic]) => ({
    path: normalize(join(dirname(path), (fixed ?? dynamic) as string)),
    isType: Boolean(type),
  }))
  return { path, text, imports }
}

function filesIn (folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(ts|js)$/.test(name) && !name.includes('node_modules'))
    .map(name => read(join(folder, name)))
}

const [src, plugins, publicRoutes, operator, schemas, demo, bench] =
  ['src', 'plugins', 'routes', 'operator', 'schemas', 'demo', 'bench'].map(filesIn) as [
    SourceFile[], SourceFile[], SourceFile[], SourceFile[], SourceFile[], SourceFile[], SourceFile[]
  ]
const routes = [...publicRoutes, ...operator.filter(({ path }) => path.startsWith('operator/routes/'))]

const topFolder = (path: string) => path.split('/')[0] as string
/** The second part of the path: a folder, or a file that is in none. */
const room = (path: string) => path.split('/')[1] as string

/** The imports of these files that lead into a folder, as `from -> to`. */
function importsInto (files: SourceFile[], folders: string[], { types = true } = {}): string[] {
  return files.flatMap(({ path, imports }) => imports
    .filter(({ path: target, isType }) => folders.includes(topFolder(target)) && (types || !isType))
    .map(({ path: target }) => `${path} -> ${target}`))
}

type Arrow = [from: string, to: string]

/** Circles of these arrows, as `a -> b -> a`. */
function circlesOf (arrows: Arrow[]): string[] {
  const targets = Map.groupBy(arrows, ([from]) => from)
  const done = new Set<string>()
  const circles: string[] = []

  function visit (name: string, trail: string[]) {
    const seen = trail.indexOf(name)
    if (seen >= 0) return circles.push([...trail.slice(seen), name].join(' -> '))
    if (done.has(name)) return
    for (const [, to] of targets.get(name) ?? []) visit(to, [...trail, name])
    done.add(name)
  }
  for (const name of targets.keys()) visit(name, [])
  return circles
}

const betweenRooms = (arrows: Arrow[]) =>
  arrows.map(([from, to]): Arrow => [room(from), room(to)]).filter(([from, to]) => from !== to)

const importsWithin = (files: SourceFile[]) => files.flatMap(({ path, imports }) => imports
  .filter(target => topFolder(target.path) === topFolder(path))
  .map((target): Arrow => [path, target.path]))

t.test('imports and circles are found', async t => {
  t.ok(importsInto(routes, ['src', 'schemas']).length > 30)
  t.ok(importsInto(plugins, ['src']).length > 40)
  t.ok(importsInto(plugins, ['plugins']).length > 15)
  t.strictSame(circlesOf([['a', 'b'], ['b', 'c'], ['c', 'b']]), ['b -> c -> b'])
})

t.test('src/: imports no plugins, routes, schemas or demo', async t => {
  t.strictSame(importsInto(src, ['plugins', 'routes', 'operator', 'schemas', 'demo', 'bin', 'test', 'bench']), [])
})

t.test('src/: no circle of rooms, and nothing imports the files that put the service together', async t => {
  const arrows = importsWithin(src)
  t.strictSame(circlesOf(betweenRooms(arrows)), [])
  const top = ['app', 'check-templates', 'create-server', 'error-handler', 'operator-app', 'server']
    .map(name => `src/${name}.ts`)
  const upwards = arrows.filter(([from, to]) =>
    top.includes(to) && !top.includes(from) && room(from) !== 'cli')
  t.strictSame(upwards, [])
})

t.test('routes/: imports no values from plugins', async t => {
  t.strictSame(importsInto(routes, ['plugins'], { types: false }), [])
  t.strictSame(importsInto([...plugins, ...schemas, ...demo], ['routes']), [])
})

t.test('operator/: only its own files import it, and the public routes do not', async t => {
  t.strictSame([...new Set(operator.map(({ path }) => room(path)))].sort(), ['plugins', 'routes'])
  t.strictSame(importsInto([...src, ...plugins, ...publicRoutes, ...schemas, ...demo], ['operator']), [])
  t.strictSame(importsInto(operator, ['routes', 'plugins'], { types: false }), [])
  t.strictSame(operator.filter(({ text }) => /\bquery\(|\bdatabase\b/.test(text)).map(({ path }) => path), [])
})

t.test('schemas/, demo/: import no plugins; only test/ imports test/', async t => {
  t.strictSame(importsInto([...schemas, ...demo], ['plugins']), [])
  t.strictSame(importsInto([...src, ...plugins, ...routes, ...operator, ...schemas, ...demo, ...bench], ['test']), [])
})

/** Each plugin with its name, its `dependencies`, and what it puts on the instance. */
const registered = plugins.map(({ path, text }) => {
  const options = text.slice(text.lastIndexOf("name: '"))
  const listed = /dependencies: \[([^\]]*)\]/.exec(options)?.[1] ?? ''
  return {
    path,
    text,
    name: /name: '([\w-]+)'/.exec(options)?.[1] as string,
    dependencies: [...listed.matchAll(/'([\w-]+)'/g)].map(([, name]) => name as string),
    decorators: [...text.matchAll(/app\.decorate\('(\w+)'/g)].map(([, decorator]) => decorator as string),
  }
})

t.test('plugins/: rooms use each other without circles, and all stand on records and infrastructure', async t => {
  const byName = new Map(registered.map(plugin => [plugin.name, plugin.path]))
  const arrows = [
    ...importsWithin(plugins),
    ...registered.flatMap(({ path, dependencies }) =>
      dependencies.map((name): Arrow => [path, byName.get(name) as string])),
  ]
  t.strictSame(circlesOf(betweenRooms(arrows)), [])
  const layers: Record<string, string[]> = { infrastructure: [], records: ['infrastructure'] }
  t.strictSame(betweenRooms(arrows).filter(([from, to]) => layers[from] && !layers[from].includes(to)), [])
})

/** What a plugin takes from the instance: `app.name`, `const { name } = app` and `({ name }: FastifyInstance)`. */
function namesTaken (text: string): string[] {
  const destructured = [...text.matchAll(/\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}(?: = app\b|: FastifyInstance\b)/g)]
    .flatMap(([, names]) => (names as string).replace(/\{[^}]*\}/g, '').split(','))
    .map(name => name.split(':')[0]?.trim())
  const direct = [...text.matchAll(/\bapp\.(\w+)/g)].map(([, name]) => name)
  return [...destructured, ...direct].filter(name => name !== undefined)
}

t.test('plugins/: each uses only its dependencies', async t => {
  const owners = new Map(registered.flatMap(({ name, decorators }) =>
    decorators.map(decorator => [decorator, name] as const)))
  t.ok(owners.size > 20)
  const unnamed = registered.flatMap(({ path, name, text, dependencies }) => [...new Set(namesTaken(text))]
    .map(taken => owners.get(taken))
    .filter(owner => owner !== undefined && owner !== name && !dependencies.includes(owner))
    .map(owner => `${path} uses ${owner}`))
  t.strictSame(unnamed, [])
})

t.test('no import circles', async t => {
  const files = [...src, ...plugins, ...routes, ...operator, ...schemas, ...demo, ...bench]
  t.strictSame(circlesOf(files.flatMap(({ path, imports }) => imports.map((to): Arrow => [path, to.path]))), [])
})

const SQL = /\b(SELECT\b[^;]*?\bFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|TRUNCATE \w+|pg_notify\()/

/** What CONTRIBUTING.md names as the exceptions, with their reasons. */
const WITH_SQL = [
  'plugins/infrastructure/revocation-canary.ts',
  'src/cli/with-service.ts',
  'src/database/after-restore.ts',
  'src/database/job-queues.ts',
  'src/database/large-tables.ts',
  'src/database/lock-tables.ts',
  'src/database/migrate.ts',
  'src/database/revocation-feed.ts',
]

t.test('SQL is in plugins/records/ only, apart from the exceptions', async t => {
  t.match('await client.query(`\n  SELECT id\n  FROM users`)', SQL)
  const withSql = [...src, ...plugins, ...routes, ...operator, ...schemas]
    .filter(({ path, text }) => !/^(plugins\/records|src\/doctor)\//.test(path) && SQL.test(text))
  t.strictSame(withSql.map(({ path }) => path).sort(), WITH_SQL)
})
