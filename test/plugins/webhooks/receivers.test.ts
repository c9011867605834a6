// The receivers in docs/webhooks.md, as they are, against the service.
import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { createUser, NO_LIMITS } from '../../support/browser.ts'
import { buildShared } from '../../support/build.ts'
import { makeFolder } from '../../support/folder.ts'
import { eventually } from '../../support/patience.ts'

const DOCS = readFileSync('docs/webhooks.md', 'utf8')
const codeOf = (language: string) => DOCS.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] as string

async function freePort (): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

for (const [language, file, command] of [
  ['js', 'receiver.mjs', process.execPath], ['python', 'receiver.py', 'python3'],
] as const) {
  t.test(`docs/webhooks.md: the receiver in ${language} accepts messages once, and none that is forged`, async t => {
    const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, WEBHOOK_PRIVATE: 'allow' } })
    t.teardown(() => owner.query('DELETE FROM webhooks'))
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    const { id: webhook, secret } = await app.webhooks.add({ url, events: ['user.disabled'] })
    const dir = makeFolder(t)
    symlinkSync(resolve('node_modules'), join(dir, 'node_modules'))
    const path = join(dir, file)
    writeFileSync(path, codeOf(language))
    const receiver = spawn(command, [path], { env: { ...process.env, SECRET: secret, PORT: String(port) } })
    t.teardown(() => receiver.kill())
    let output = ''
    receiver.stdout.on('data', chunk => { output += chunk })
    receiver.stderr.on('data', chunk => { output += chunk })
    const forged = await eventually(
      () => fetch(url, {
        method: 'POST',
        body: '{"type":"user.disabled","data":{}}',
        headers: {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
          'webhook-signature': 'v1,Zm9yZ2Vk',
        },
      }).catch(() => undefined),
      answer => answer !== undefined
    )
    t.equal(forged?.status, 401)

    const { id } = await createUser(owner)
    await owner.query("INSERT INTO auth_events (what, user_id) VALUES ('account_disabled', $1)", [id])
    const deliver = async () => {
      await app.announceEvents()
      await app.sendMessages()
      return app.webhooks.deliveries(webhook)
    }
    const [delivery] = await eventually(deliver, ([first]) => first?.status === 'delivered')
    t.match(delivery, { answerStatus: 204 })
    await app.webhooks.resend(delivery?.id as string)
    t.match(await deliver(), [{ status: 'delivered', attempts: 1 }])
    await eventually(() => output, text => text.includes('\n'))
    t.equal(output.trim(), `user.disabled ${id}`)

    const body = JSON.stringify({ type: 'audit.sealed', data: { seal: '1' } })
    const now = new Date()
    const sealed = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'webhook-id': 'msg_2',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('msg_2', now, body),
      },
    })
    t.equal(sealed.status, 204, 'a message that concerns no account')
  })
}
