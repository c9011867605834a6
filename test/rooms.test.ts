// The layout as CONTRIBUTING.md describes it: which folder may use which, read from the imports and `dependencies`.
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
const room = (path: string) => path.split('/')[1] as string

/** The imports of these files that lead into a folder, as `from -> to`. */
function importsInto (files: SourceFile[], folders: string[], { types = true } = {}): string[] {
  return files.flatMap(({ path, imports }) => imports
    .filter(({ path: target, isType }) => folders.includes(topFolder(target)) && (types || !isType))
    .map(({ path: target }) => `${path} -> ${target}`))
}

t.test('imports are found', async t => {
  t.ok(importsInto(routes, ['src', 'schemas']).length > 30)
  t.ok(importsInto(plugins, ['src']).length > 40)
  t.ok(importsInto(plugins, ['plugins']).length > 15)
})

t.test('src/: imports no plugins, routes or schemas, and the demo in one place', async t => {
  t.strictSame(importsInto(src, ['plugins', 'routes', 'operator', 'schemas', 'test', 'bench']), [])
  t.strictSame(importsInto(src, ['demo']), ['src/server.ts -> demo/stack.ts'])
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

/** A room may use the rooms of lower levels, and itself. */
const LEVELS: Record<string, number> = { infrastructure: 0, records: 1, credentials: 2, edge: 3, flows: 4, site: 4 }

function mayUse (from: string, to: string): boolean {
  return room(from) === room(to) || (LEVELS[room(from)] as number) > (LEVELS[room(to)] as number)
}

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

t.test('plugins/: rooms depend only downwards', async t => {
  t.strictSame([...new Set(plugins.map(({ path }) => room(path)))].sort(), Object.keys(LEVELS).sort())
  const byName = new Map(registered.map(plugin => [plugin.name, plugin.path]))
  const upwards = [
    ...plugins.flatMap(({ path, imports }) => imports
      .filter(target => topFolder(target.path) === 'plugins' && !mayUse(path, target.path))
      .map(target => `${path} imports ${target.path}`)),
    ...registered.flatMap(({ path, dependencies }) => dependencies
      .filter(name => !mayUse(path, byName.get(name) as string))
      .map(name => `${path} depends on ${name}`)),
  ]
  t.strictSame(upwards, [])
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
  const all = new Map(files.map(file => [file.path, file]))
  const done = new Set<string>()
  const circles: string[] = []

  function visit (path: string, trail: string[]) {
    const seen = trail.indexOf(path)
    if (seen >= 0) return circles.push([...trail.slice(seen), path].join(' -> '))
    if (done.has(path)) return
    for (const { path: target } of all.get(path)?.imports ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of all.keys()) visit(path, [])
  t.strictSame(circles, [])
})

t.test('src/, plugins/: at most 14 files in a folder', async t => {
  const files = [...src, ...plugins].filter(({ path }) => path.endsWith('.ts'))
  const counts = Map.groupBy(files, ({ path }) => dirname(path))
  t.strictSame([...counts].filter(([, files]) => files.length > 14).map(([folder]) => folder), [])
})
