import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadNative } from '../support/native/agreement.ts'
import { copyNative } from '../support/native/copy.ts'

const PATH = process.env.PATH as string

/** A folder with a program of this name that does this. */
function program (folder: string, name: string, commands: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, name), `#!/bin/sh\n${commands}\n`)
  chmodSync(join(bin, name), 0o755)
  return bin
}

t.test('build: quiet, and the file works', async t => {
  const { build, file } = copyNative(t)
  rmSync(file, { force: true })
  t.match(build(PATH), { status: 0, stdout: '', stderr: '' })
  t.type(loadNative(file).open, 'function')
})

t.test('build: no compiler is one line and no failure, and leaves no outdated file', async t => {
  const { build, file, folder } = copyNative(t)
  writeFileSync(file, 'outdated')
  const { status, stdout, stderr } = build(folder)
  t.match({ status, stdout }, { status: 0, stdout: '' })
  t.equal(
    stderr,
    'native/lanes.node was not built: there is no C compiler. Gatehouse works without it, with fewer logins a second.\n'
  )
  t.notOk(existsSync(file))
})

t.test('build: a compiler that fails is named with its reason, and is no failure', async t => {
  const { build, file, folder } = copyNative(t)
  const { status, stderr } = build(program(folder, 'cc', 'echo "stdlib.h: No such file" >&2; exit 1'))
  t.equal(status, 0)
  t.match(stderr, /not built: Command failed: cc .*stdlib\.h: No such file/s)
  t.notOk(existsSync(file))
})

t.test('build: another compiler is used where cc fails', async t => {
  const { build, file, folder } = copyNative(t)
  rmSync(file)
  program(folder, 'cc', 'exit 1')
  // Without optimization, because that takes most of the time.
  const bin = program(folder, 'gcc', `PATH='${PATH}' exec gcc "$@" -O0`)
  t.match(build(`${bin}:${PATH}`), { status: 0, stderr: '' })
  t.type(loadNative(file).open, 'function')
})

t.test('npm ci runs the build, also without the folder native/', async t => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  t.match(scripts.install, "import('./native/build.js').catch(")
})
