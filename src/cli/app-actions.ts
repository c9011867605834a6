import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { readKeys, type PublicKey } from '../openid/application-keys.ts'
import type { ApplicationSettings } from '../openid/application-rules.ts'
import type { ApplicationKind } from '../openid/redirect-uris.ts'
import {
  CommandError, pageSize, requireArguments, SUSPENDED, UsageError, type Arguments, type Outcome,
} from './command.ts'
import { minute } from './terminal/text.ts'
import { withService } from './with-service.ts'

type Values = Arguments['values']
type Application = Awaited<ReturnType<FastifyInstance['manageApplications']['list']>>[number]

const UNVERIFIED = 'registered itself'
const NONE = 'No such application. See gatehouse app list.'

/** One of two options that exclude each other, or undefined if none is given. */
function either (values: Values, yes: string, no: string): boolean | undefined {
  if (values[yes] && values[no]) throw new UsageError(`Either --${yes} or --${no}.`)
  return values[yes] ? true : values[no] ? false : undefined
}

/** An empty value stands for none. */
const listOf = (value: Values[string]) => (value as string[] | undefined)?.filter(Boolean)
const textOrNull = (value: Values[string]) => value === '' ? null : value as string | undefined

function keysIn (file: string): PublicKey[] {
  try {
    return readKeys(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`)
  }
}

/** Those that the command line names. */
function settingsOf (values: Values): Partial<ApplicationSettings> {
  const settings: Partial<ApplicationSettings> = {
    name: values.name as string | undefined,
    redirectUris: listOf(values.redirect),
    postLogoutUris: listOf(values['post-logout']),
    backchannelLogoutUrl: textOrNull(values['backchannel-logout']),
    trusted: either(values, 'trusted', 'untrusted'),
    pkceOptional: either(values, 'pkce-optional', 'pkce-required'),
    resources: listOf(values.resource),
    serves: textOrNull(values.serves),
    keys: listOf(values.key)?.flatMap(keysIn),
    dpopRequired: either(values, 'dpop-required', 'dpop-optional'),
    device: either(values, 'device', 'no-device'),
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

function kindOf (values: Values): ApplicationKind {
  if (values.public && values.machine) throw new UsageError('Either --public or --machine.')
  return values.public ? 'public' : values.machine ? 'machine' : 'web'
}

/** What to enter into the application. */
function nextSteps ({ PUBLIC_URL, OPENID }: FastifyInstance['config']): string[] {
  const issuer = PUBLIC_URL.replace(/\/+$/, '')
  return [
    `Enter it into the application, with the issuer ${issuer}`,
    `(discovery: ${issuer}/.well-known/openid-configuration).`,
    ...OPENID === 'on' ? [] : ['OPENID is off: set OPENID=on for every instance, and restart them.'],
  ]
}

export async function add ({ positionals, values }: Arguments): Promise<Outcome> {
  const [name] = requireArguments(positionals, 'NAME')
  const kind = kindOf(values)
  const settings = { ...settingsOf(values), name }
  if (kind !== 'machine' && !settings.device && !settings.redirectUris?.length) {
    throw new UsageError('Missing: --redirect, --device or --machine.')
  }
  return withService(async ({ config, manageApplications }) => {
    const { id, secret } = await manageApplications.add({ kind, ...settings })
    const secretLines = secret ? [`secret: ${secret}`, 'Keep the secret now: it is not shown again.'] : []
    if (settings.keys?.length) secretLines.push('It has no secret: it authenticates with its key (private_key_jwt).')
    return {
      data: { clientId: id, secret },
      text: [`client_id: ${id}`, ...secretLines, ...nextSteps(config)].join('\n'),
    }
  })
}

export async function change ({ positionals, values }: Arguments): Promise<Outcome> {
  const [id] = requireArguments(positionals, 'ID')
  if (values.public || values.machine) throw new UsageError('The kind cannot be changed: add another application.')
  const settings = settingsOf(values)
  if (Object.keys(settings).length === 0) throw new UsageError('Missing: what to change.')
  return withService(async ({ manageApplications }) => {
    if (!await manageApplications.change(id, settings)) throw new CommandError(NONE)
    return { data: { clientId: id }, text: `Changed ${id}.` }
  })
}

const withClientId = ({ id, ...application }: Application) => ({ clientId: id, ...application })

function lineOf ({ id, name, kind, trusted, registration, lastUsedAt, suspendedAt, users }: Application): string {
  const state = suspendedAt ? SUSPENDED : `signed in: ${users}, last used ${minute(lastUsedAt)}`
  return `${id}  ${name}\n  ${kind}${trusted ? ', trusted' : ''}${registration ? `, ${UNVERIFIED}` : ''}, ${state}`
}

/** A page of those that registered themselves. */
async function listRegistered ({ limit, after }: Values): Promise<Outcome> {
  const size = pageSize(limit)
  const { applications, next } = await withService(({ manageApplications }) =>
    manageApplications.listRegistered(size, after as string | undefined))
  const more = next ? [`There are more. Add --after ${next} for the next page.`] : []
  return {
    data: { apps: applications.map(withClientId), next },
    text: [...applications.map(lineOf), ...more].join('\n') || 'There are no applications that registered themselves.',
  }
}

export async function list ({ positionals, values }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  if (values.registered) return listRegistered(values)
  const found = await withService(({ manageApplications }) => manageApplications.list())
  return { data: { apps: found.map(withClientId) }, text: found.map(lineOf).join('\n') || 'There are no applications.' }
}

const nameOfKey = ({ kid = 'without a kid', kty, crv = kty }: PublicKey) => `${kid}, ${crv}`

export async function show ({ positionals }: Arguments): Promise<Outcome> {
  const [id] = requireArguments(positionals, 'ID')
  const found = await withService(({ manageApplications }) => manageApplications.find(id))
  if (!found) throw new CommandError(NONE)
  const facts: Array<[string, string]> = [
    ['client_id', found.documentUrl ?? found.id],
    ...found.documentUrl ? [['id', found.id] satisfies [string, string]] : [],
    ['name', found.name],
    ['kind', found.kind],
    ...found.registration ? [['state', `${UNVERIFIED}, and is not verified`] satisfies [string, string]] : [],
    ...found.suspendedAt ? [['state', SUSPENDED] satisfies [string, string]] : [],
    ...found.redirectUris.map((uri): [string, string] => ['redirect', uri]),
    ...found.postLogoutUris.map((uri): [string, string] => ['post-logout', uri]),
    ['backchannel-logout', found.backchannelLogoutUrl ?? 'none'],
    ['trusted', found.trusted ? 'yes' : 'no'],
    ['pkce', found.pkceOptional ? 'optional' : 'required'],
    ...found.resources.map((line): [string, string] => ['resource', line]),
    ...found.serves ? [['serves', found.serves] satisfies [string, string]] : [],
    ...found.keys.map((key): [string, string] => ['key', nameOfKey(key)]),
    ['dpop', found.dpopRequired ? 'required' : 'optional'],
    ['device', found.device ? 'yes' : 'no'],
    ['signed in', String(found.users)],
    ['added', minute(found.createdAt)],
    ['changed', minute(found.changedAt)],
    ['last used', minute(found.lastUsedAt)],
  ]
  return {
    data: { app: withClientId(found) },
    text: facts.map(([name, value]) => `${`${name}:`.padEnd(20)}${value}`).join('\n'),
  }
}

export async function rotateSecret ({ positionals }: Arguments): Promise<Outcome> {
  const [id] = requireArguments(positionals, 'ID')
  return withService(async ({ manageApplications }) => {
    const secret = await manageApplications.rotateSecret(id)
    if (!secret) throw new CommandError(NONE)
    const hint = 'Keep the secret now: it is not shown again. The former one is accepted for 24 hours.'
    return { data: { clientId: id, secret }, text: `secret: ${secret}\n${hint}` }
  })
}

export async function remove ({ positionals }: Arguments): Promise<Outcome> {
  const [id] = requireArguments(positionals, 'ID')
  return withService(async ({ manageApplications }) => {
    if (!await manageApplications.remove(id)) throw new CommandError(NONE)
    return { data: { clientId: id }, text: `Removed ${id}.` }
  })
}
