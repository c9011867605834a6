import { readFileSync } from 'node:fs'
import t from 'tap'
import { KINDS } from '../../../plugins/records/audit/events.ts'
import { ANNOUNCED, MESSAGE_TYPES } from '../../../src/webhooks/messages.ts'

t.test('docs/events.md: lists every event, with the message that announces it', async t => {
  const rows = readFileSync('docs/events.md', 'utf8').matchAll(/^\| `(\w+)` \| [^|]+ \| (?:`([\w.]+)` )?\|$/gm)
  t.strictSame(
    [...rows].map(([, event = '', message]) => [event, message]),
    KINDS.map(kind => [kind, ANNOUNCED[kind]?.[0]])
  )
})

t.test('only events that exist are announced, and each message is for one of them or for none', async t => {
  t.strictSame(Object.keys(ANNOUNCED).filter(name => !(KINDS as readonly string[]).includes(name)), [])
  const types = new Set<string>(Object.values(ANNOUNCED).map(([type]) => type))
  t.strictSame(MESSAGE_TYPES.filter(type => !types.has(type)), ['session.replaced', 'session.ended', 'audit.sealed'])
})
