import { closeSync, openSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { BASE_SETTINGS, createDatabase } from '../support/build.ts'
import { eventually } from '../support/patience.ts'
import { gatehouse } from '../support/process.ts'

// Most of the time these wait for a process.
t.jobs = 3

const LISTENING = /Server listening at (http:\/\/127\.0\.0\.1:(\d+))/

t.test('SIGTERM: not ready, pending and new requests are answered, exit code 0', async t => {
  const { settings } = await createDatabase(t)
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, DRAIN_SECONDS: '10' })
  t.teardown(() => service.child.kill('SIGKILL'))
  const [, url, port] = await service.until(LISTENING)

  const slow = connect(Number(port), '127.0.0.1')
  slow.setEncoding('utf8')
  // A page, which does not depend on how fast PostgreSQL responds.
  slow.write('GET /login HTTP/1.1\r\nHost: x\r\n')
  await once(slow, 'connect')
  service.child.kill('SIGTERM')
  const ready = await eventually(
    async () => {
      const response = await fetch(`${url}/health/ready`)
      return { code: response.status, ...await response.json() as object }
    },
    response => 'status' in response && response.status === 'draining'
  )
  t.equal(ready.code, 503)
  t.equal((await fetch(`${url}/login`)).status, 200, 'still served until front ends notice')
  slow.write('\r\n')
  const [answer] = await once(slow, 'data')
  t.match(answer, 'HTTP/1.1 200 OK')

  const { code } = await service.ended
  t.equal(code, 0)
  t.match(service.output.stdout, '"msg":"stopping"')
})

t.test('SIGTERM: a client that never finishes does not prevent the exit', async t => {
  const { settings } = await createDatabase(t)
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, DRAIN_SECONDS: '0' })
  t.teardown(() => service.child.kill('SIGKILL'))
  const [, , port] = await service.until(LISTENING)
  const stuck = connect(Number(port), '127.0.0.1')
  stuck.on('error', () => {})
  stuck.write('POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc')
  await sleep(200)
  service.child.kill('SIGTERM')
  const ended = await Promise.race([service.ended, sleep(20_000)])
  t.match(ended, { code: 0 }, 'it stopped in order, within its timeout')
})

t.test('log not writable: the service works and stops in order', async t => {
  const { settings } = await createDatabase(t)
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const port = await freePort()
  const service = gatehouse(
    ['serve'],
    { ...BASE_SETTINGS, ...settings, PORT: String(port), LOG_LEVEL: 'trace', DRAIN_SECONDS: '0' },
    { stdout: full }
  )
  t.teardown(() => service.child.kill('SIGKILL'))
  const live = () =>
    fetch(`http://127.0.0.1:${port}/health/live`).then(
      ({ status }) => status,
      () => 0
    )
  await eventually(live, status => status === 200)
  await sleep(200)
  t.equal(await live(), 200, 'only log lines were lost')
  service.child.kill('SIGTERM')
  t.match(await service.ended, { code: 0, stderr: '' })
})

/** Runs code in the process before the service. */
function withCode (code: string) {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

/** Throws an uncaught error at SIGWINCH. */
const FAULTY = withCode("process.on('SIGWINCH', () => { throw new Error('a bug') })")

t.test('uncaught error: the last line of the log, exit code 1', async t => {
  const { settings } = await createDatabase(t)
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, ...FAULTY })
  t.teardown(() => service.child.kill('SIGKILL'))
  await service.until(LISTENING)
  service.child.kill('SIGWINCH')
  t.match(await service.ended, { code: 1, stdout: /"level":"fatal".*"message":"a bug".*uncaught error/ })
})

t.test('uncaught error, log not writable: exit code 1', async t => {
  const { settings } = await createDatabase(t)
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const port = await freePort()
  const service = gatehouse(
    ['serve'],
    { ...BASE_SETTINGS, ...settings, ...FAULTY, PORT: String(port) },
    { stdout: full }
  )
  t.teardown(() => service.child.kill('SIGKILL'))
  await eventually(
    () =>
      fetch(`http://127.0.0.1:${port}/health/live`).then(
        ({ ok }) => ok,
        () => false
      ),
    Boolean
  )
  service.child.kill('SIGWINCH')
  t.match(await Promise.race([service.ended, sleep(20_000, 'still running')]), { code: 1 })
})

t.test('serve: a port in use, one line', async t => {
  const { settings } = await createDatabase(t)
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, stderr } = await gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, PORT: String(port) }).ended
  t.equal(code, 1)
  t.equal(
    stderr,
    `Port ${port} is already in use. Stop the program that listens there, ` +
      `or use another port: PORT=${port + 1} npm start.\n`
  )
})
