// Runs at the end of `npm ci`. Builds lanes.node with the C compiler of this machine.
// Without a compiler the service works, too, with fewer logins a second: this never fails.
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const FLAGS = [
  '-O3', '-fPIC', '-shared', '-pthread',
  // On ARM, gcc would write registers to memory between the lanes, which takes 1.7 times as long.
  '-fno-schedule-insns',
  // Node unloads it with the last worker that has loaded it, while a thread of it may still be ending.
  ...process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : ['-Wl,-z,nodelete'],
]
const source = join(import.meta.dirname, 'lanes.c')
const target = join(import.meta.dirname, 'lanes.node')

/** @returns {string | undefined} what failed */
function build (/** @type {string} */ compiler) {
  // An instance may have the old file loaded: it is replaced and never overwritten.
  const made = `${target}.${process.pid}`
  try {
    const { include_dir: headers } = createRequire(import.meta.url)('node-api-headers')
    execFileSync(compiler, [...FLAGS, '-I', headers, source, '-o', made], { stdio: 'pipe', encoding: 'utf8' })
    renameSync(made, target)
  } catch (error) {
    rmSync(made, { force: true })
    return String(error instanceof Error ? error.message : error)
  }
}

const failures = []
for (const compiler of ['cc', 'gcc', 'clang']) {
  const failure = build(compiler)
  if (!failure) process.exit()
  if (!failure.includes('ENOENT')) failures.push(failure)
}
rmSync(target, { force: true })
console.warn(`native/lanes.node was not built: ${failures[0] ?? 'there is no C compiler'}. ` +
  'Gatehouse works without it, with fewer logins a second.')
