import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { eventually, HANG_TIMEOUT, inTime, WAIT_LIMIT } from '../support/patience.ts'
import { isInstalled } from '../../demo/programs.ts'
import { request } from '../support/attacks/raw-connection.ts'
import { startService, type Service } from '../support/attacks/service-process.ts'

// nginx stops slow clients (test/deploy/slow-clients.long.ts); the service must withstand them alone, too.

const skip = isInstalled('slowhttptest') ? false : 'NO slowhttptest ON THIS MACHINE: SLOW CLIENTS WERE NOT TESTED'
const CLIENTS = 200
/** Six times as long as the service waits for a request. The clients would go on for as long as this. */
const ATTACK_SECONDS = 90
/** Twice the idle timeout: Node checks twice whether any part of the response was sent. */
const UNREAD_LIMIT = 60_000
/** A slower response counts as a failure. */
const ORDINARY_LIMIT = 10_000
const MEMORY_LIMIT = 100

const MODES: Array<[what: string, path: string, options: string[], cut: boolean]> = [
  ['headers that never end', '/login', ['-H', '-i', '2'], true],
  ['bodies that never end', '/verify-email/resend', ['-B', '-i', '2', '-s', '8192', '-f', 'application/json'], true],
  // A client that reads a little from time to time is not disconnected: a short run shows what it costs.
  [
    'responses that are read very slowly',
    '/openapi.json',
    ['-X', '-k', '5', '-w', '1', '-y', '64', '-n', '2', '-z', '16'],
    false,
  ],
]

/** Attacks with CLIENTS connections for a time, or until all are disconnected. */
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
  await inTime(once(tool, 'close'), `slowhttptest ${options.join(' ')}`, 1_000 * seconds + UNREAD_LIMIT)
  return { ms: performance.now() - began, said }
}

/** Other requests during the attack: how many succeeded, and the longest response time. */
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

t.setTimeout(HANG_TIMEOUT)
t.test('slow clients without a front end', { skip, timeout: HANG_TIMEOUT }, async t => {
  const service = await startService(t)
  await (await fetch(`${service.url}/health`)).text()
  const before = { files: service.openFiles(), memory: service.memoryInMegabytes() }
  const filesAreBack = (limit: number) => eventually(service.openFiles, files => files <= before.files + 3, limit)

  for (const [what, path, options, cut] of MODES) {
    await t.test(`${CLIENTS} clients with ${what}`, { timeout: HANG_TIMEOUT }, async t => {
      const stop = askMeanwhile(service)
      const { ms, said } = await attack(t, service, path, options, cut ? ATTACK_SECONDS : 20)
      const { served, longest, failures } = await stop()
      t.comment(`${Math.round(ms / 1_000)} s; ${served} other requests, the slowest in ${longest} ms`)
      t.comment(`${Math.round(service.memoryInMegabytes())} MB, ${Math.round(before.memory)} before`)
      t.strictSame(failures, [], 'other clients were served')
      t.ok(served > 5)
      // Otherwise it ends because its time is over.
      if (cut) t.match(said, /No open connections left/, 'all were disconnected')
      t.ok(await filesAreBack(UNREAD_LIMIT), 'their sockets are closed')
      t.ok(service.memoryInMegabytes() - before.memory < MEMORY_LIMIT, 'memory has not grown')
    })
  }

  await t.test('a client that continues after its 408 is disconnected', { timeout: HANG_TIMEOUT }, async t => {
    const socket = open(t, service)
    socket.write(
      request('POST /login', { headers: { 'Content-Type': 'application/json', 'Content-Length': '8192' } })
    )
    const dripping = setInterval(() => socket.write(' '), 500)
    t.teardown(() => clearInterval(dripping))
    const [answer] = await inTime(once(socket, 'data'), 'a response')
    t.match(String(answer), /^HTTP\/1\.1 408 /)
    // Writing after the end fails (EPIPE), which `once` would report.
    const closed = new Promise(resolve => {
      socket.once('close', resolve).resume()
    })
    await inTime(closed, 'the end of the connection')
    t.pass('disconnected before it had finished')
  })

  await t.test('fifty clients that request much and read nothing are disconnected', {
    timeout: HANG_TIMEOUT,
  }, async t => {
    // 5,000 requests are held (8 KB each); copies of their responses would be 1.5 GB.
    for (let each = 0; each < 50; each++) open(t, service).pause().write(request('GET /openapi.json').repeat(100))
    await eventually(service.openFiles, files => files >= before.files + 40)
    t.ok(await filesAreBack(UNREAD_LIMIT + WAIT_LIMIT), 'their sockets are closed')
    t.comment(`${Math.round(service.memoryInMegabytes())} MB`)
    t.ok(service.memoryInMegabytes() - before.memory < MEMORY_LIMIT)
  })

  t.notMatch(service.log(), /"level":"(error|fatal)"/, 'no error in the log')
})
