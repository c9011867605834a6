import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startTestProcess } from './test-process.ts'

const dir = mkdtempSync(join(tmpdir(), 'gatehouse-files-'))
t.teardown(() => rmSync(dir, { recursive: true }))

function write (name: string, code: string): string {
  const file = join(dir, `${name}.ts`)
  writeFileSync(file, `import t from 'tap'\n${code}`)
  return file
}

t.test('test files in one process: each has its own tap and its own helpers, except for what is shared', async t => {
  const support = join(import.meta.dirname, '../support')
  const code = (number: number) => `import { secrets } from '${support}/build.ts'
    import { nextNumber } from '${support}/shared.ts'
    secrets.add('of this file')
    t.test('state', async t => t.strictSame([secrets.size, nextNumber('file')], [2, ${number}]))`
  const host = startTestProcess(process.env, { stderr: 'ignore' })
  for (const [index, name] of ['one', 'two'].entries()) {
    const { ok, passed, failed, output } = await host.run(write(name, code(index + 1)))
    t.match({ ok, passed, failed }, { ok: true, passed: 1, failed: 0 }, output)
  }
  t.equal(await host.end(), true)
})

t.test('test files in one process: those that fail', async t => {
  const host = startTestProcess(process.env, { stderr: 'ignore' })
  for (const [name, code, counts] of [
    ['assertion', "t.test('a', async t => { t.ok(1); t.ok(0) })", { passed: 1, failed: 1, skipped: 0 }],
    ['teardown', "t.ok(1); t.teardown(() => { throw new Error('no end') })", { passed: 1, failed: 1, skipped: 0 }],
    ['import', "throw new Error('no start')", { passed: 0, failed: 1, skipped: 0 }],
    ['skipped', "t.ok(1); t.test('b', { skip: 'why' }, async () => {})", { passed: 1, failed: 0, skipped: 1 }],
    ['crash', "t.ok(1); t.test('c', () => process.exit(0))", { passed: 0, failed: 1, skipped: 0 }],
  ] as const) {
    const { ok, passed, failed, skipped } = await host.run(write(name, code))
    t.strictSame({ passed, failed, skipped }, counts, name)
    t.equal(ok, counts.failed === 0, name)
  }
  t.equal(host.isRunning, false, 'the next file needs another process')
})

t.test('test files in one process: an error that nothing handles', async t => {
  const code = "t.test('d', async () => { Promise.reject(new Error('lost')); await new Promise(() => {}) })"
  const host = startTestProcess(process.env, { stderr: 'ignore' })
  const { ok, failed } = await host.run(write('unhandled', code))
  t.match({ ok, failed }, { ok: false, failed: 1 })
  t.equal(host.isRunning, false)
})

t.test('test files in one process: what keeps it alive is noticed', async t => {
  const host = startTestProcess(process.env, { stderr: 'ignore' })
  const left = await host.run(write('left', 't.ok(1); setTimeout(() => process.exit(7), 100)'))
  t.equal(left.ok, true)
  t.equal(await host.end(), false)
})
