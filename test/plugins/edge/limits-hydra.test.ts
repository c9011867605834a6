import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createUser, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { build } from '../../support/build.ts'

const withoutHydra = hasHydra()
  ? false
  : 'NO hydra ON THIS MACHINE (apt-get install hydra): THE ATTACK WITH IT DID NOT RUN'

function hasHydra (): boolean {
  try {
    return execFileSync('sh', ['-c', 'command -v hydra']).length > 0
  } catch {
    return false
  }
}

/** A proxy that turns a 401 into a 403: hydra takes a 401 for HTTP authentication and may give up. */
async function relayTo (t: Test, origin: string): Promise<number> {
  const relay = createServer(async function pass (request, response) {
    const answer = await fetch(`${origin}${request.url}`, {
      method: request.method,
      headers: { 'content-type': 'application/json' },
      body: await text(request),
    })
    response.writeHead(answer.status === 401 ? 403 : answer.status, { connection: 'close' }).end(await answer.text())
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => relay.close())
  return (relay.address() as AddressInfo).port
}

const GUESSES = Array.from({ length: 20 }, (_, index) => `Wrong-guess-${index}`)
/** Hydra loses a guess now and then ("worker threads did not complete"): the right one comes three times. */
const LIST = [...GUESSES, PASSWORD, ...GUESSES, PASSWORD, ...GUESSES, PASSWORD]

/** The output of hydra with sixteen tasks. */
async function attack (t: Test, settings: Record<string, string> = {}): Promise<string> {
  const { app, owner } = await build(t, { settings })
  const { username } = await createUser(owner)
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-hydra-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const list = join(dir, 'passwords')
  writeFileSync(list, LIST.join('\n'))

  const port = await relayTo(t, await app.listen({ host: '127.0.0.1', port: 0 }))
  // g=: without requesting a page for cookies first.
  const form = '/login:{"username"\\:"^USER^","password"\\:"^PASS^"}:g=:H=Content-Type\\: application/json:S=200 OK'
  const run = promisify(execFile)(
    'hydra',
    ['-I', '-t', '16', '-l', username, '-P', list, '-s', String(port), '127.0.0.1', 'http-post-form', form],
    { cwd: dir }
  )
  // Its exit code is an error when one of its tasks has lost a connection.
  const { stdout } = await run.catch((error: Error & { stdout: string }) => error)
  return stdout
}

t.test('POST /login: hydra does not find the password from one address', { skip: withoutHydra }, async t => {
  const found = await attack(t)
  t.match(found, '0 valid password found')
  t.notMatch(found, PASSWORD)
})

t.test('POST /login: hydra finds the password without limits', { skip: withoutHydra }, async t => {
  t.match(await attack(t, NO_LIMITS), `password: ${PASSWORD}`)
})
