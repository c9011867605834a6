import type { FastifyInstance } from 'fastify'
import {
  CommandError, requireArguments, subcommands, UsageError, type Arguments, type Command, type Outcome,
} from './command.ts'
import { minute } from './terminal/text.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse webhook add URL --events TYPE,TYPE [--notify EMAIL] [--json]
       gatehouse webhook change ID [--url URL] [--events TYPE,TYPE] [--notify EMAIL] [--json]
       gatehouse webhook list [--json]
       gatehouse webhook remove|rotate|pause|resume|deliveries ID [--json]
       gatehouse webhook resend DELIVERY [--json]

  add         sends these events to the URL from now on. Prints the secret that signs them, once.
              --events '*' sends all. --notify gets a mail when the endpoint is paused
  change      sends to another URL, or other events. An empty --notify sends no more mails
  list        prints the endpoints
  remove      ends an endpoint and forgets its deliveries
  rotate      prints a new secret. The former one also signs for 24 hours
  pause       keeps the messages until resume
  resume      sends the messages that have waited
  deliveries  prints the latest 100 messages to an endpoint, with its answers
  resend      sends a message again, with the same id

Events: user.created, user.imported, user.verified, user.updated, user.disabled, user.enabled,
user.deleted, session.created, session.replaced, session.ended, password.changed, factor.added,
factor.removed, identity.linked, identity.unlinked, application.allowed, application.disconnected,
audit.sealed. See docs/webhooks.md.

The list also has the endpoints that applications of the OpenID provider name for sign-outs. They stay
as long as the application: change takes only --notify, and remove and rotate are refused.

Examples
  gatehouse webhook add https://app.example.com/hooks --events user.created,user.deleted
  gatehouse webhook deliveries 3f6d2c1e-9b7a-4c55-8a1f-0e2d4b6c8a90
`

type Webhooks = FastifyInstance['webhooks']

const NONE = 'No such webhook. See gatehouse webhook list.'

const typesOf = (list: string) => list.split(',').map(name => name.trim()).filter(Boolean)

async function add ({ positionals, values }: Arguments): Promise<Outcome> {
  const [url] = requireArguments(positionals, 'URL')
  if (typeof values.events !== 'string') throw new UsageError('Missing: --events.')
  const events = typesOf(values.events)
  const notify = values.notify as string | undefined
  return withService(async ({ webhooks }) => {
    const { id, secret } = await webhooks.add({ url, events, notify })
    return { data: { id, secret }, text: `Added ${id}.\nThe secret, which is not shown again: ${secret}` }
  })
}

async function change ({ positionals, values }: Arguments): Promise<Outcome> {
  const [id] = requireArguments(positionals, 'ID')
  const { url, events, notify } = values as Record<string, string | undefined>
  if ([url, events, notify].every(value => value === undefined)) {
    throw new UsageError('Missing: --url, --events or --notify.')
  }
  return withService(async ({ webhooks }) => {
    const types = events === undefined ? undefined : typesOf(events)
    const wanted = { url, events: types, notify: notify === '' ? null : notify }
    if (!await webhooks.change(id, wanted)) throw new CommandError(NONE)
    return { data: { id }, text: `Changed ${id}.` }
  })
}

async function list ({ positionals }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  return withService(async ({ webhooks }) => {
    const found = await webhooks.list()
    const lines = found.map(({ id, url, events, succeededAt, pausedAt, pausedFor, application }) => {
      const wanted = application ? `sign-outs, for the application ${application.name}` : events.join(', ')
      const state = pausedAt ? `paused ${minute(pausedAt)}: ${pausedFor}` : `last delivery ${minute(succeededAt)}`
      return `${id}  ${url}\n  ${wanted}\n  ${state}`
    })
    return { data: { webhooks: found }, text: lines.join('\n') || 'There are no webhooks.' }
  })
}

async function rotate ({ positionals }: Arguments): Promise<Outcome> {
  const [id] = requireArguments(positionals, 'ID')
  return withService(async ({ webhooks }) => {
    const secret = await webhooks.rotate(id)
    if (!secret) throw new CommandError(NONE)
    return { data: { id, secret }, text: `The new secret, which is not shown again: ${secret}` }
  })
}

async function deliveries ({ positionals }: Arguments): Promise<Outcome> {
  const [id] = requireArguments(positionals, 'ID')
  return withService(async ({ webhooks }) => {
    if (!await webhooks.find(id)) throw new CommandError(NONE)
    const found = await webhooks.deliveries(id)
    const lines = found.map(({ id, type, accountId, at, status, attempts, answerStatus, answer, error }) => {
      const answered = error ?? (answerStatus === null ? '' : `${answerStatus} ${(answer ?? '').slice(0, 60)}`)
      return `${id}  ${minute(at)}  ${type}  id:${accountId}  ${status} (${attempts})  ${answered}`.trimEnd()
    })
    return { data: { deliveries: found }, text: lines.join('\n') || 'There are no deliveries.' }
  })
}

/** An action that succeeds or finds nothing to act on. */
function action (name: string, done: string, failed: string, act: (all: Webhooks, id: string) => Promise<boolean>) {
  return async function run ({ positionals }: Arguments): Promise<Outcome> {
    const [id] = requireArguments(positionals, name)
    return withService(async ({ webhooks }) => {
      if (!await act(webhooks, id)) throw new CommandError(failed)
      return { data: { id }, text: `${done} ${id}.` }
    })
  }
}

const command: Command = {
  help: HELP,
  options: { url: { type: 'string' }, events: { type: 'string' }, notify: { type: 'string' } },
  run: subcommands({
    add,
    change,
    list,
    rotate,
    deliveries,
    remove: action('ID', 'Removed', NONE, ({ remove }, id) => remove(id)),
    pause: action('ID', 'Paused', `${NONE} Or it was paused already.`, ({ pause }, id) => pause(id)),
    resume: action('ID', 'Resumed', `${NONE} Or it was not paused.`, ({ resume }, id) => resume(id)),
    resend: action('DELIVERY', 'Sending again:', 'No such delivery that has ended.', ({ resend }, id) => resend(id)),
  }),
}

export default command
