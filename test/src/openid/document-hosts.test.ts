// Hosts that strangers name, whose name servers belong to them, too.
import { createHook } from 'node:async_hooks'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { readDocument } from '../../../src/openid/client-documents.ts'
import { resolveOf } from '../../../src/openid/document-hosts.ts'

// They wait for name servers that say nothing.
t.jobs = 3

const rules = { production: true, privateAllowed: false, brand: 'Gatehouse' }
const TYPES: Record<number, number[]> = { 1: [192, 0, 2, 7], 28: [0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 7] }

/** Answers questions for the types of records that it has, and says nothing to the others. */
async function startNameServer (t: Test, types: number[]) {
  const server = createSocket('udp4')
  t.teardown(() => server.close())
  server.on('message', (question, { address, port }) => {
    const type = question[question.indexOf(0, 12) + 2] ?? 0
    if (!types.includes(type)) return
    const asked = question.subarray(12, question.indexOf(0, 12) + 5)
    const data = TYPES[type] ?? []
    // One question, one answer with the same name, for 60 seconds.
    const header = Buffer.from([...question.subarray(0, 2), 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data])
    server.send(Buffer.concat([header, asked, record]), port, address)
  })
  await once(server.bind(0, '127.0.0.1'), 'listening')
  return [`127.0.0.1:${server.address().port}`]
}

t.test('reading a document takes no thread for its name: what the service looks up does not wait', async t => {
  let lookups = 0
  const hook = createHook({ init (_id, type) { if (type === 'GETADDRINFOREQWRAP') lookups++ } }).enable()
  t.teardown(() => hook.disable())
  await t.rejects(readDocument('https://agent.invalid/agent.json', { ...rules, timeout: 1_000 }))
  t.equal(lookups, 0)
})

t.test('the addresses of both kinds, or those of one if the other question has no answer', async t => {
  const ipv4 = { address: '192.0.2.7', family: 4 }
  const ipv6 = { address: '2001:db8::7', family: 6 }
  for (const [types, expected] of [[[1, 28], [ipv4, ipv6]], [[28], [ipv6]]] as const) {
    t.strictSame(await resolveOf(await startNameServer(t, [...types]))('agent.example'), expected)
  }
})

t.test('a name server that says nothing', async t => {
  await t.rejects(resolveOf(await startNameServer(t, []))('agent.example'), { code: 'ETIMEOUT' })
})
