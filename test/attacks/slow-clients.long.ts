import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { eventually } from '../support/process.ts'
import { isInstalled } from '../support/programs.ts'
import { request } from '../support/attacks/raw-connection.ts'
import { startService, type Service } from '../support/attacks/service-process.ts'

// What nginx keeps out (test/deploy/slow-clients.long.ts) must not hurt a service that stands alone either.

const skip = isInstalled('slowhttptest') ? false : 'NO slowhttptest ON THIS MACHINE: SLOW CLIENTS DID NOT COME'
const CLIENTS = 200
const REQUEST_LIMIT = 15_000
/** Twice the time that nothing may move: Node looks whether some of the answer went out, and then once more. */
const UNREAD_LIMIT = 60_000
/** How often the service looks, and what a busy machine may add. */
const GRACE = 15_000
/** Slower than this nobody would call it served. */
const ORDINARY_LIMIT = 10_000
const MEMORY_LIMIT = 100

const MODES: Array<[what: string, path: string, options: string[], cut: boolean]> = [
  ['headers that never end', '/login', ['-H', '-i', '2'], true],
  ['bodies that never end', '/verify-email/resend', ['-B', '-i', '2', '-s', '8192', '-f', 'application/json'], true],
  // Whoever reads a little now and then is not cut: kept short, to see what it costs.
  [
    'answers that are hardly read',
    '/openapi.json',
    ['-X', '-k', '5', '-w', '1', '-y', '64', '-n', '2', '-z', '16'],
    false,
  ],
]

/** Comes with so many clients, for so long or until all were cut. */
async function attack (t: Test, { url }: Service, path: string, options: string[], seconds: number) {
  const began = performance.now()
  const tool = spawn(
    'slowhttptest',
    [
      ...options,
      '-u',
      `${url}${path}`,
      '-c',
      String(CLIENTS),
      '-r',
      '100',
      '-l',
      String(seconds),
      '-p',
      '5',
      '-v',
      '1',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] }
  )
  t.teardown(() => tool.kill())
  let said = ''
  tool.stdout.on('data', chunk => {
    said += chunk
  })
  await once(tool, 'close')
  return { ms: performance.now() - began, said }
}

/** People who come meanwhile: how many were served, and the longest wait. */
function askMeanwhile ({ url }: Service) {
  const end = new AbortController()
  const waits: number[] = []
  const failures: unknown[] = []
  const done = (async () => {
    while (!end.signal.aborted) {
      const began = performance.now()
      const answer = await fetch(`${url}/login`, { signal: AbortSignal.timeout(ORDINARY_LIMIT) }).catch(
        error => error
      )
      if (answer.status === 200) waits.push(performance.now() - began)
      else failures.push(answer)
      await answer.body?.cancel()
      await sleep(100)
    }
  })()
  return async () => {
    end.abort()
    await done
    return { served: waits.length, longest: Math.round(Math.max(...waits)), failures }
  }
}

function open (t: Test, { url }: Service) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  return socket
}

t.setTimeout(400_000)
t.test('slow clients at the bare service', { skip, timeout: 400_000 }, async t => {
  const service = await startService(t)
  await (await fetch(`${service.url}/health`)).text()
  const before = { files: service.openFiles(), memory: service.memoryInMegabytes() }
  const filesAreBack = (limit: number) => eventually(service.openFiles, files => files <= before.files + 3, limit)

  for (const [what, path, options, cut] of MODES) {
    await t.test(`${CLIENTS} with ${what}`, { timeout: 180_000 }, async t => {
      const stop = askMeanwhile(service)
      const { ms, said } = await attack(t, service, path, options, cut ? (REQUEST_LIMIT + GRACE) / 1_000 + 20 : 20)
      const { served, longest, failures } = await stop()
      t.comment(
        `${Math.round(ms / 1_000)} s; ${served} others were served, the slowest in ${longest} ms; ${Math.round(service.memoryInMegabytes())} MB, ${Math.round(before.memory)} before`
      )
      t.strictSame(failures, [], 'nobody else noticed')
      t.ok(served > 5)
      if (cut) {
        t.match(said, /No open connections left/, 'all were cut')
        t.ok(ms < REQUEST_LIMIT + GRACE, `after ${Math.round(ms)} ms`)
      }
      t.ok(await filesAreBack(UNREAD_LIMIT), 'what they held is free')
      t.ok(service.memoryInMegabytes() - before.memory < MEMORY_LIMIT, 'and memory has not grown')
    })
  }

  await t.test('one that goes on after the door was shut', { timeout: 120_000 }, async t => {
    const socket = open(t, service)
    socket.write(
      request('POST /login', { headers: { 'Content-Type': 'application/json', 'Content-Length': '8192' } })
    )
    const dripping = setInterval(() => socket.write(' '), 500)
    t.teardown(() => clearInterval(dripping))
    const [answer] = await once(socket, 'data')
    t.match(String(answer), /^HTTP\/1\.1 408 /)
    await new Promise(resolve => {
      socket.once('close', resolve).resume()
    })
    t.pass('cut, though it was not done')
  })

  await t.test('fifty that ask for much and read nothing', { timeout: 180_000 }, async t => {
    for (let each = 0; each < 50; each++) open(t, service).pause().write(request('GET /openapi.json').repeat(200))
    await eventually(service.openFiles, files => files >= before.files + 40, 10_000)
    t.ok(await filesAreBack(UNREAD_LIMIT + GRACE), 'what they held is free')
    t.comment(`${Math.round(service.memoryInMegabytes())} MB`)
    t.ok(service.memoryInMegabytes() - before.memory < MEMORY_LIMIT)
  })

  t.notMatch(service.log(), /"level":[56]0/, 'nothing went wrong inside')
})
