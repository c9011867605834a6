import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import {
  EXIT, requireArguments, subcommands, UsageError, type Arguments, type Command, type Outcome,
} from './command.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse audit verify [--anchor NUMBER:HASH] [--json]
       gatehouse audit anchor [--json]
       gatehouse audit export [--since TIME] [--follow]

  verify   compares the recorded events with their seals. Exits with 1 if an event was changed,
           removed or inserted, or if a seal is missing
  anchor   prints the latest seal. Keep it where the owner of the database cannot write: verify then
           also finds a history that was rewritten together with its seals
  export   prints the sealed events as NDJSON, in their order, and each seal after its events.
           --since 2026-01-31T00:00:00Z skips what is older, --follow waits for more

Instances seal new events every minute. See docs/audit.md.

Examples
  gatehouse audit verify --anchor "$(cat /safe/place/anchor)"
  gatehouse audit export --since 2026-01-31T00:00:00Z --follow | vector
`

const FOLLOW_INTERVAL = 1_000
const MAX_PRINTED = 20
const ANCHOR = /^\d{1,9}:[0-9a-f]{64}$/

async function verify ({ positionals, values }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  const anchor = values.anchor as string | undefined
  if (anchor !== undefined && !ANCHOR.test(anchor.trim())) throw new UsageError('--anchor must be NUMBER:HASH.')
  return withService(async ({ audit }) => {
    const verdict = await audit.verify({ anchor: anchor?.trim() })
    const { since, seals, events, problems } = verdict
    const more = problems.length > MAX_PRINTED ? [`and ${problems.length - MAX_PRINTED} more`] : []
    const text = problems.length > 0
      ? ['The trail is broken.', ...problems.slice(0, MAX_PRINTED), ...more].join('\n')
      : since
        ? `Unbroken since ${since.toISOString()}: ${events} events under ${seals} seals.`
        : 'There are no seals yet.'
    const unbroken = problems.length === 0
    return { data: { unbroken, ...verdict }, text, exit: unbroken ? EXIT.ok : EXIT.problem }
  })
}

async function anchor ({ positionals }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  return withService(async ({ audit }) => {
    const latest = await audit.anchor()
    return { data: { anchor: latest ?? null }, text: latest ?? 'There are no seals yet.' }
  })
}

async function write (line: object) {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain')
}

async function exportAll ({ audit }: FastifyInstance, since: Date, follow: boolean) {
  let last = 0
  for (;;) {
    const page = await audit.export(last, since)
    for (const line of page.lines) await write(line)
    if (page.last === last && !follow) return
    if (page.last === last) await sleep(FOLLOW_INTERVAL)
    last = page.last
  }
}

async function exportEvents ({ positionals, values }: Arguments): Promise<void> {
  requireArguments(positionals)
  const since = new Date(values.since as string | undefined ?? 0)
  if (Number.isNaN(since.getTime())) throw new UsageError('--since must be a time, such as 2026-01-31T00:00:00Z.')
  await withService(app => exportAll(app, since, Boolean(values.follow)))
}

const command: Command = {
  help: HELP,
  options: { anchor: { type: 'string' }, since: { type: 'string' }, follow: { type: 'boolean' } },
  run: subcommands({ verify, anchor, export: exportEvents }),
}

export default command
