import { CommandError, requireArguments, UsageError, type Arguments, type Outcome } from '../command.ts'
import { HttpError } from '../../errors.ts'
import type { Language } from '../../site/language.ts'
import { withService } from '../with-service.ts'
import { findUser, wordsOf } from './view.ts'

/** Options and the fields that they change. An empty value removes it, where an account can be without. */
const FIELDS = {
  name: 'name',
  username: 'username',
  email: 'email',
  language: 'language',
  'time-zone': 'timeZone',
  'external-id': 'externalId',
} as const
const REQUIRED = ['username', 'email']

function wantedOf (values: Arguments['values']) {
  const given = Object.entries(FIELDS).filter(([option]) => values[option] !== undefined)
  if (given.length === 0) throw new UsageError(`Nothing to change: add --${Object.keys(FIELDS).join(', --')}.`)
  return Object.fromEntries(given.map(([option, field]) => {
    const value = values[option] as string
    return [field, value === '' && !REQUIRED.includes(field) ? null : value]
  })) as { name?: string, language?: Language, timeZone?: string, username?: string, email?: string }
}

export async function change ({ positionals, values }: Arguments): Promise<Outcome> {
  const [login] = requireArguments(positionals, 'USER')
  const wanted = wantedOf(values)
  return withService(async app => {
    const found = await findUser(app, login)
    const { user, changed, emailRequested } = await app.changeAccount(found, wanted).catch(error => {
      throw error instanceof HttpError ? new CommandError(error.message) : error
    })
    const lines = [
      changed.length > 0 ? `Changed for ${user.username}: ${wordsOf(changed)}.` : '',
      emailRequested ? `A mail to ${emailRequested} asks to confirm it. Until then, ${user.email} stays.` : '',
    ]
    return {
      data: { id: user.id, changed, emailRequested },
      text: lines.filter(Boolean).join('\n') || `${user.username} is like this already. Nothing was changed.`,
    }
  })
}
