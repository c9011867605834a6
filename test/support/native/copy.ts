import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

const ROOT = join(import.meta.dirname, '../../..')

/** A copy of native/, whose lanes.node no other test uses. */
export function copyNative (t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-native-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const native = join(folder, 'native')
  cpSync(join(ROOT, 'native'), native, { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    file: join(native, 'lanes.node'),

    replace (name: string, text: string, other: string) {
      const source = readFileSync(join(native, name), 'utf8')
      if (!source.includes(text)) throw new Error(`${name} has no ${text}`)
      writeFileSync(join(native, name), source.replace(text, other))
    },

    /** As `npm ci` does it, where these folders are the PATH. */
    build: (path: string) =>
      spawnSync(process.execPath, [join(native, 'build.js')], { env: { PATH: path }, encoding: 'utf8' }),

    compile (target: string, ...flags: string[]) {
      const headers = join(ROOT, 'node_modules/node-api-headers/include')
      const args = ['-fPIC', '-shared', '-I', headers, ...flags, join(native, 'lanes.c'), '-o', target]
      return spawnSync('gcc', args, { encoding: 'utf8' })
    },
  }
}
