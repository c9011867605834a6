import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createUser, NO_LIMITS, PASSWORD } from '../browser.ts'
import { build } from '../helper.ts'

const withoutHydra = hasHydra() ? false : 'NO hydra ON THIS MACHINE (apt-get install hydra): THE ATTACK WITH IT DID NOT RUN'

function hasHydra (): boolean {
  try {
    return execFileSync('sh', ['-c', 'command -v hydra']).length > 0
  } catch {
    return false
  }
}

/** What hydra finds with sixteen tasks and a list that ends with the right password. */
async function attack (t: Test, settings: Record<string, string> = {}) {
  const { app, owner } = await build(t, { settings })
  const { username } = await createUser(owner)
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-hydra-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const list = join(dir, 'passwords')
  writeFileSync(list, [...Array.from({ length: 20 }, (_, index) => `Wrong-guess-${index}`), PASSWORD].join('\n'))

  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  // g=: without asking for a page with cookies first.
  const form = '/login:{"username"\\:"^USER^","password"\\:"^PASS^"}:g=:H=Content-Type\\: application/json:S=200 OK'
  // It complains of each 401 and ends with an error, and tells what it found all the same.
  const { stdout } = await promisify(execFile)('hydra', ['-I', '-t', '16', '-l', username, '-P', list, '-s', String(port), '127.0.0.1', 'http-post-form', form], { cwd: dir }).catch(error => error)
  return stdout as string
}

t.test('hydra does not get in from one address', { skip: withoutHydra }, async t => {
  t.notMatch(await attack(t), `password: ${PASSWORD}`)
})

t.test('without the limits it would', { skip: withoutHydra }, async t => {
  t.match(await attack(t, NO_LIMITS), `password: ${PASSWORD}`)
})
