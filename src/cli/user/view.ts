import type { FastifyInstance } from 'fastify'
import { sessionName } from '../../sessions/device-name.ts'
import { isPassword } from '../../passwords/no-password.ts'
import { CommandError, type Outcome } from '../command.ts'
import { minute } from '../terminal/text.ts'

type User = NonNullable<Awaited<ReturnType<FastifyInstance['users']['findById']>>>
type Sessions = Awaited<ReturnType<FastifyInstance['sessions']['list']>>
type Identities = Awaited<ReturnType<FastifyInstance['identities']['list']>>

/** Finds a user by username, email, `id:42` or `external:ID`. */
export async function findUser ({ users }: FastifyInstance, login: string): Promise<User> {
  const id = login.match(/^id:(\d{1,18})$/)?.[1]
  const externalId = login.match(/^external:(.+)$/)?.[1]
  const user = id
    ? await users.findById(id)
    : externalId ? await users.findByExternalId(externalId) : await users.findByLogin(login)
  if (!user) {
    throw new CommandError('No such user. Users without a password are found only by email or id, such as id:42.')
  }
  return user
}

/** The fields of an account: "name, time zone". */
export const wordsOf = (fields: string[]) =>
  fields.map(field => field.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)).join(', ')

export function describeUser (user: User, sessions: Sessions, identities: Identities): Outcome {
  const { id, username, email, name, provider, passwordHash, emailVerifiedAt, disabledAt } = user
  const { externalId, language, timeZone } = user
  const devices = sessions.map(({ id, ip, userAgent, application, firstUsedAt, lastUsedAt }) =>
    ({ id, ip, device: sessionName({ userAgent, application }), application, firstUsedAt, lastUsedAt }))
  const providers = identities.map(({ provider }) => provider)
  const hasPassword = isPassword(passwordHash)
  const mustChoose = passwordHash !== null && !hasPassword
  const methods = [hasPassword && 'with a password', ...providers.map(each => `through ${each.replace('_', ' ')}`)]
  const lines = [
    ['id', id],
    ['username', username],
    ['email', `${email}, ${emailVerifiedAt ? `confirmed ${minute(emailVerifiedAt)}` : 'not confirmed'}`],
    ['name', name ?? '-'],
    ...externalId === null ? [] : [['external', externalId]],
    ...language === null ? [] : [['language', language]],
    ...timeZone === null ? [] : [['time zone', timeZone]],
    ['signs in', methods.filter(Boolean).join(' or ') || '-'],
    ...mustChoose ? [['password', 'none, until the owner chooses one through a mail']] : [],
    ['state', disabledAt ? `disabled since ${minute(disabledAt)}` : 'enabled'],
    ['sessions', devices.length === 0 ? 'none' : String(devices.length)],
    ...devices.map(({ device, ip, firstUsedAt, lastUsedAt }) =>
      ['', `${device}, ${ip ?? 'unknown address'}, since ${minute(firstUsedAt)}, last used ${minute(lastUsedAt)}`]),
  ]
  return {
    data: {
      user: {
        id, username, email, name, externalId, language, timeZone, provider, hasPassword, emailVerifiedAt, disabledAt,
      },
      providers,
      sessions: devices,
    },
    text: lines.map(([label = '', value]) => `${label.padEnd(10)}${value}`).join('\n'),
  }
}
