import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { runCommand } from '../../support/cli/in-process.ts'
import { setUp } from '../../support/cli/users.ts'
import { eventually } from '../../support/patience.ts'
import { startReceiver } from '../../support/receiver.ts'

const { app, cli, owner } = await setUp({ WEBHOOK_PRIVATE: 'allow' })
const webhook = (...args: string[]) => runCommand(app, ['webhook', ...args])

t.test('webhook: from add to remove (0)', async t => {
  const receiver = await startReceiver(t, (_received, response) => {
    response.writeHead(500).end('\u001b[2Jno\n')
  })
  const { stdout } = await cli(['webhook', 'add', receiver.url, '--events', 'user.disabled,user.enabled'])
  const [, id = ''] = /^Added (\S{36})\.\n.*: whsec_[\w+/=]{44}\n$/.exec(stdout) ?? []
  await app.administration.disable(await app.users.findById((await createUser(owner)).id) as never)
  await eventually(() => app.announceEvents().then(() => app.sendMessages()), () => receiver.received.length > 0)
  const { stdout: deliveries } = await webhook('deliveries', id)
  t.match(deliveries, /user\.disabled {2}id:\d+ {2}waiting \(1\) {2}500 /)
  t.notOk(deliveries.includes('\u001b'), 'what the endpoint answered controls no terminal')
  t.match(await webhook('pause', id), { code: 0 })
  t.match((await webhook('list')).stdout, new RegExp(`^${id}  \\S+\n  user.disabled, .*\n  paused .*by an operator\n$`))
  t.match(await webhook('change', id, '--events', 'user.created', '--notify', 'ops@example.com'), { code: 0 })
  t.match(await app.webhooks.find(id), { url: receiver.url, events: ['user.created'], notify: 'ops@example.com' })
  t.match(await webhook('remove', id), { code: 0 })
  const { rows } = await owner.query("SELECT what FROM auth_events WHERE subject = $1 AND actor = 'command line'", [id])
  t.strictSame(rows.map(({ what }) => what), ['webhook_added', 'webhook_paused', 'webhook_changed', 'webhook_removed'])
  t.match(await webhook('remove', id), { code: 1, stderr: /No such webhook/ })
})

t.test('webhook: without events (2)', async t => {
  t.match(await webhook('add', 'https://app.example.com/'), { code: 2, stderr: /--events/ })
})
