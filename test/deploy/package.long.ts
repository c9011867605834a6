// What `npm pack` writes: it holds what a server needs and nothing else, and it runs.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { builtService } from '../support/deploy/made-once.ts'

const { version, files } = JSON.parse(readFileSync('package.json', 'utf8'))
/** What npm always adds. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE']

const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', [...args, '--loglevel=error'], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

t.test('the package has no sources, tests or benchmarks, and its command runs', { timeout: 120_000 }, t => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-package-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [made, installed] = [join(folder, 'made'), join(folder, 'installed')]
  for (const file of [...ALWAYS, ...files.filter((name: string) => name !== 'dist')]) {
    cpSync(file, join(made, file), { recursive: true })
  }
  // A file that someone left there.
  cpSync('test/app.test.ts', join(made, 'src/left.ts'))
  const [built, dist] = [builtService(), join(made, 'dist')]
  if (built) cpSync(built, dist, { recursive: true })
  else execFileSync(process.execPath, ['build.ts', dist], { stdio: 'ignore' })

  const [{ filename, files: packed }] = JSON.parse(npm(made, 'pack', '--json', '--ignore-scripts'))
  const names: string[] = packed.map(({ path }: { path: string }) => path)
  const roots = new Set(names.map(name => name.split('/')[0]))
  t.strictSame([...roots].sort(), [...new Set([...ALWAYS, ...files].map(name => name.split('/')[0]))].sort())
  t.strictSame(names.filter(name => /((?<!\.d)\.ts|\.(map|log|pem|key))$/.test(name)), [])
  t.ok(names.includes('dist/migrations/021.do.schema.sql'))

  // With the packages of the lockfile: without it, npm would choose newer ones.
  mkdirSync(installed)
  execFileSync('tar', ['-xzf', join(made, filename), '-C', installed])
  symlinkSync(resolve('node_modules'), join(installed, 'node_modules'))
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(installed, 'package/bin/gatehouse.js'), ...args], { encoding: 'utf8' })
  t.match(run('--version'), version)
  t.match(run('serve', '--help'), /DATABASE_URL/)
  t.end()
})
