import t from 'tap'
import { runCommand } from '../../support/cli/in-process.ts'
import { setUp } from '../../support/cli/users.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'

const { app, cli, env, owner } = await setUp()
const audit = (...args: string[]) => runCommand(app, ['audit', ...args])

t.test('audit: anchor, export and verify, before and after a change by the owner of the database', async t => {
  await owner.query("INSERT INTO auth_events (what, ip) VALUES ('sign_in', '192.0.2.1'), ('sign_out', '192.0.2.1')")
  await eventually(() => app.sealEvents().then(() => app.audit.verify()), ({ events }) => events === 2)
  const { stdout: anchor } = await audit('anchor')
  t.match(anchor, /^1:[0-9a-f]{64}\n$/)
  t.match(await audit('verify', '--anchor', anchor), {
    code: 0, stdout: /^Unbroken since \S+Z: 2 events under 1 seals\.\n$/,
  })
  const { stdout } = await gatehouse(['audit', 'export', '--since', '2020-01-01'], env).ended
  const lines = stdout.trim().split('\n').map(line => JSON.parse(line))
  t.match(lines, [{ what: 'sign_in', ip: '192.0.2.1' }, { what: 'sign_out' }, { seal: 1, anchor: anchor.trim() }])
  await owner.query("UPDATE auth_events SET ip = '192.0.2.2' WHERE what = 'sign_in'")
  t.match(await cli(['audit', 'verify']), { code: 1, stdout: /^The trail is broken\.\nevent \d+: was changed\n$/ })
})

t.test('audit: wrong arguments (2)', async t => {
  t.match(await audit('verify', '--anchor', 'x'), { code: 2, stderr: /NUMBER:HASH/ })
})
