import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { copyNative } from '../support/native/copy.ts'

const EXERCISE = join(import.meta.dirname, '../support/native/exercise.ts')
const libraryOf = (name: string) => execFileSync('gcc', [`-print-file-name=${name}`], { encoding: 'utf8' }).trim()

/** Node itself is not instrumented, and frees little at its end: leaks cannot be told. */
function exercise (t: Test, copy: ReturnType<typeof copyNative>) {
  const file = join(copy.folder, 'sanitized.node')
  // Line numbers for the reports: with variables as well, gcc takes three times as long.
  const flags = ['-g1', '-O1', '-fno-omit-frame-pointer', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']
  t.match(copy.compile(file, ...flags), { status: 0, stderr: '' })
  return spawnSync(process.execPath, [EXERCISE, file], {
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      LD_PRELOAD: ['libasan.so', 'libubsan.so'].map(libraryOf).join(' '),
      ASAN_OPTIONS: 'detect_leaks=0',
    },
  })
}

t.test('AddressSanitizer and UBSan: no fault', { timeout: 600_000 }, async t => {
  t.match(exercise(t, copyNative(t)), { status: 0, stdout: 'agreed\n', stderr: '' })
})

t.test('AddressSanitizer: finds a planted overflow', { timeout: 600_000 }, async t => {
  const copy = copyNative(t)
  copy.replace('lanes.c', 'if (check->length > MAX_PASSWORD) return 0;', '')
  const { status, stderr } = exercise(t, copy)
  t.not(status, 0)
  t.match(stderr, /AddressSanitizer: heap-buffer-overflow/)
})

t.test('UBSan: finds a planted shift', { timeout: 600_000 }, async t => {
  const copy = copyNative(t)
  copy.replace('bcrypt.h', '(uint32_t) bytes[0] << 24', '(int) (bytes[0] | 128) << 25')
  const { status, stderr } = exercise(t, copy)
  t.not(status, 0)
  t.match(stderr, /runtime error: left shift/)
})
