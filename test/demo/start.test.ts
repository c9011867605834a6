import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { processesOf } from '../support/cli/npm-start.ts'
import { eventually } from '../support/patience.ts'
import { gatehouse } from '../support/process.ts'

const OPEN = /Gatehouse is running at (http:\/\/localhost:\d+)/

function emptyFolder (t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-start-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function start (t: Test, cwd: string) {
  const service = gatehouse(['serve'], { PORT: '0', BCRYPT_COST: '10' }, { cwd })
  t.teardown(() => service.child.kill('SIGKILL'))
  return service
}

t.test('npm start without settings: healthy, data kept, no process left', async t => {
  const dir = emptyFolder(t)

  const first = start(t, dir)
  const [, url] = await first.until(OPEN)
  t.equal(
    await (await fetch(`${url}/openapi.json`)).text(),
    readFileSync('openapi.json', 'utf8'),
    'the routes of the demo are not documented'
  )
  const health = await fetch(`${url}/health`)
  t.equal(health.status, 200)
  t.match(await health.json(), { status: 'healthy', checks: { server: 'ok', database: 'ok', cache: 'ok' } })
  t.match(first.output.stdout, 'demo / correct-Horse-42-staple')
  t.match(first.output.stdout, `Sign in, then add one: ${url}/dashboard#factors`)
  const [, mailbox = ''] = await first.until(/Mailbox +(http:\/\/localhost:\d+\/demo\/mailbox)/)
  t.equal((await fetch(mailbox)).status, 200, 'the mailbox is at the printed address')
  t.ok(processesOf(dir).length > 0)
  const secrets = readFileSync(join(dir, '.data/secrets.json'), 'utf8')

  await t.test('npm start: Ctrl-C stops all processes', async t => {
    first.child.kill('SIGINT')
    t.match(await first.ended, { code: 0 })
    t.strictSame(processesOf(dir), [])
  })

  await t.test('npm start: after SIGKILL PostgreSQL stops, and the next start recovers', async t => {
    const killed = start(t, dir)
    await killed.until(OPEN)
    killed.child.kill('SIGKILL')
    const again = start(t, dir)
    await again.until(OPEN)
    t.equal(readFileSync(join(dir, '.data/secrets.json'), 'utf8'), secrets)

    await t.test('npm start: a second one in the same folder is refused in one line', async t => {
      const { code, stderr } = await start(t, dir).ended
      t.equal(code, 1)
      t.match(stderr, /^Gatehouse is already running in this folder[^\n]+\n$/)
    })

    again.child.kill('SIGKILL')
    await eventually(
      () => processesOf(dir),
      left => left.length === 0,
      10_000
    )
  })
})
