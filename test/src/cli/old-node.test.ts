import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'

/** The Node of the system if it is older than 24, otherwise ours, which pretends to be. */
const SYSTEM = '/usr/bin/node'
const isOld = existsSync(SYSTEM) &&
  Number(/^v(\d+)/.exec(execFileSync(SYSTEM, ['--version'], { encoding: 'utf8' }))?.[1]) < 24
const PRETEND = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })"
const OLD_NODE = isOld
  ? [SYSTEM]
  : [process.execPath, `--import=data:text/javascript,${encodeURIComponent(PRETEND)}`]

/** A folder in which `npm ci` and `npm run build` have run, or have not installed the development packages. */
function createInstallation (t: Test, { withNode }: { withNode: boolean }): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-node-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }')
  cpSync('bin/main.js', join(dir, 'dist/src/cli/gatehouse.js'), { recursive: true })
  cpSync('bin/gatehouse.js', join(dir, 'bin/gatehouse.js'))
  if (withNode) symlinkSync(resolve('node_modules'), join(dir, 'node_modules'))
  return dir
}

function runWithOldNode (cwd: string, program: string) {
  const [node = '', ...flags] = OLD_NODE
  return spawnSync(node, [...flags, program, 'serve'], { cwd, encoding: 'utf8' })
}

for (const program of ['dist/src/cli/gatehouse.js', 'bin/gatehouse.js']) {
  t.test(`${program} with an old Node: names the Node 24 that npm ci has installed (1)`, async t => {
    const dir = createInstallation(t, { withNode: true })
    const { status, stderr } = runWithOldNode(dir, program)
    t.equal(status, 1)
    t.match(stderr, /^Gatehouse needs Node 24 or newer, but this is v[^\n]+\n$/)
    t.notMatch(stderr, 'npm ci', 'not what was done already')
    const [, node = ''] = /run `(\S+node) \S+` with your arguments/.exec(stderr) ?? []
    t.match(stderr, `${node} ${program}\``)
    t.match(execFileSync(resolve(dir, node), ['--version'], { encoding: 'utf8' }), /^v2[4-9]/)
  })

  t.test(`${program} with an old Node, no other installed (1)`, async t => {
    const { status, stderr } = runWithOldNode(createInstallation(t, { withNode: false }), program)
    t.equal(status, 1)
    t.match(stderr, /^Gatehouse needs Node 24 or newer, but this is v\S+ Install Node 24, or run `npm ci`[^\n]+\n$/)
  })
}

t.test('npm run gatehouse with an old Node in front: runs on the Node of npm ci (0)', async t => {
  const PATH = `${isOld ? '/usr/bin:' : ''}${process.env.PATH}`
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'gatehouse', '--', '--version'], {
    encoding: 'utf8',
    env: { PATH },
  })
  t.match({ status, stdout }, { status: 0, stdout: /^gatehouse \d+\.\d+\.\d+\n$/ })
})
