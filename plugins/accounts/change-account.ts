import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { fits } from '../../schemas/fields.ts'
import { AccountChange } from '../../schemas/profile.ts'
import { checkData } from '../../src/accounts/data.ts'
import { isUniqueViolation } from '../../src/database/unique-violation.ts'
import { Conflict, HttpError, UnknownTimeZone } from '../../src/errors.ts'
import { COMMAND_LINE } from '../../src/operators/actors.ts'
import { NoSuchUser } from '../../src/operators/errors.ts'
import { isLanguage } from '../../src/site/language.ts'
import { timeZoneOf } from '../../src/site/time-zone.ts'
import type { ChangedProfile } from '../records/accounts/profiles.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { changeAccount: ReturnType<typeof createChangeAccount> }
}

interface Result extends ChangedProfile {
  /** The address that the account gets when its owner opens the link. */
  emailRequested: string | null
  /** The version of the data after this change. */
  version: number
}

const TAKEN: Record<string, string> = { users_username: 'username', users_external_id: 'external id' }

/** Changes that operators make to what an account says about its user. */
function createChangeAccount (app: FastifyInstance) {
  const { accountData, addressLinks, administration, events, mail, profiles, users } = app

  /** The address of another account that has proved it cannot be had. */
  async function requireFree ({ id, disabledAt }: User, email: string) {
    if (disabledAt) throw new Conflict('This account is disabled, so that no mail would be sent. Enable it first.')
    const holder = await users.findByEmail(email)
    if (holder && holder.id !== id && holder.emailVerifiedAt) throw new Conflict('This email is taken.')
  }

  /**
   * One transaction, with its events. Another address is asked for by a mail to it, and nothing changes before its link
   * is opened; then the former address is told and can undo it, as if the owner had asked for it.
   * `version`: of the data that `data` replaces. Without it, whatever is stored is replaced.
   */
  return async function changeAccount (
    user: User,
    wanted: AccountChange,
    by = COMMAND_LINE,
    version?: number
  ): Promise<Result> {
    requireValid(wanted)
    const { data, email, timeZone, ...fields } = wanted
    const zone = timeZone ? timeZoneOf(timeZone) : timeZone
    if (timeZone && !zone) throw new UnknownTimeZone()
    const emailRequested = email && email.toLowerCase() !== user.email.toLowerCase() ? email : null
    if (emailRequested) await requireFree(user, emailRequested)
    return administration.change(user.id, by, async client => {
      const result = await profiles.change(client, user.id, { ...fields, timeZone: zone })
      if (!result) throw new NoSuchUser()
      const { changed } = result
      if (data && await accountData.replace(client, user.id, data, version)) changed.push('data')
      if (changed.length > 0) await events.recordByOperator('profile_changed', user.id, client, by, changed.join())
      if (emailRequested) {
        const link = await addressLinks.addChangeByOperator(client, user.id, emailRequested)
        await events.recordByOperator('email_change_requested', user.id, client, by)
        await mail.queue(client, { kind: 'change-email', email: emailRequested, userId: user.id, link })
      }
      const { version: now } = await accountData.find(user.id, client)
      return { ...result, emailRequested, version: now }
    }).catch(error => {
      const taken = isUniqueViolation(error) ? TAKEN[error.constraint] : undefined
      throw taken ? new Conflict(`This ${taken} is taken.`) : error
    })
  }
}

// TypeBox itself knows neither enumerations of texts nor objects of any members.
const { language: _language, data: _data, ...CHECKED } = AccountChange.properties

/** For the command line. The API checks it by the same schema before. */
function requireValid (wanted: AccountChange) {
  if (wanted.language && !isLanguage(wanted.language)) throw new HttpError(400, 'Unknown language.')
  if (wanted.data !== undefined) checkData(wanted.data)
  for (const [field, schema] of Object.entries(CHECKED)) {
    const value = wanted[field as keyof typeof CHECKED]
    if (value === undefined || fits(schema, value)) continue
    throw new HttpError(400, `Invalid ${field.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)}.`)
  }
}

export default fp(async function (app) {
  app.decorate('changeAccount', createChangeAccount(app))
}, {
  name: 'change-account',
  dependencies: ['account-data', 'address-links', 'administration', 'events', 'mail', 'profiles', 'users'],
})
