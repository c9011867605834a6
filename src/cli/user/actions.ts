import type { FastifyInstance } from 'fastify'
import { type Arguments, CommandError, type Outcome, requireArguments, UsageError } from '../command.ts'
import { isTerminal, prompt, promptNewPassword } from '../terminal/prompt.ts'
import { describeEvents } from './events.ts'
import { describeUser, findUser } from './view.ts'
import { withService } from '../with-service.ts'

const MAX_EVENTS = 100

type User = Awaited<ReturnType<typeof findUser>>
type UserAction = (app: FastifyInstance, user: User, values: Arguments['values']) => Promise<Outcome>

/** A command whose only argument is a user. */
const withUser = (action: UserAction) => async function run ({ positionals, values }: Arguments) {
  const [login] = requireArguments(positionals, 'USER')
  return withService(async app => action(app, await findUser(app, login), values))
}

export const show = withUser(async (app, user) =>
  describeUser(user, await app.sessions.list(user.id), await app.identities.list(user.id)))

export const events = withUser(async ({ eventList }, user) =>
  describeEvents(user.username, await eventList.page({ userId: user.id }, MAX_EVENTS)))

export const disable = withUser(async (app, user) => {
  const changed = await app.administration.disable(user)
  return {
    data: { id: user.id, disabled: true, changed },
    text: `${user.username} ${changed ? 'is disabled. All sessions have ended.' : 'was already disabled.'}`,
  }
})

export const enable = withUser(async (app, user) => {
  const changed = await app.administration.enable(user)
  return {
    data: { id: user.id, disabled: false, changed },
    text: `${user.username} ${changed ? 'is enabled again.' : 'was not disabled.'}`,
  }
})

export const verifyEmail = withUser(async (app, user) => {
  const changed = await app.administration.verifyEmail(user)
  return {
    data: { id: user.id, changed },
    text: `${user.email} ${changed ? 'counts as confirmed.' : 'was confirmed before.'}`,
  }
})

export const endSessions = withUser(async (app, user) => {
  const ended = (await app.sessions.list(user.id)).length
  await app.administration.endSessions(user)
  return {
    data: { id: user.id, ended },
    text: `${user.username} is signed out everywhere: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended.`,
  }
})

export const resetFactors = withUser(async (app, user) => {
  const { changed, operatorRemoved } = await app.administration.resetFactors(user)
  const state = changed ? 'has no second factor and no passkey any more.' : 'had no second factor.'
  const note = operatorRemoved ? ' The account is not an operator any more: see gatehouse operator add.' : ''
  return { data: { id: user.id, changed, operatorRemoved }, text: `${user.username} ${state}${note}` }
})

export const sendResetMail = withUser(async (app, user) => {
  await app.administration.sendResetMail(user)
  return { data: { id: user.id, email: user.email }, text: `A mail to ${user.email} has a link to set a password.` }
})

export const expirePassword = withUser(async (app, user) => {
  const changed = await app.administration.expirePassword(user)
  const state = changed
    ? 'must choose another password, through a reset. All sessions have ended, and a mail tells the owner.'
    : 'has no password.'
  return { data: { id: user.id, changed }, text: `${user.username} ${state}` }
})

export const setPassword = withUser(async (app, user) => {
  if (!user.passwordHash) {
    throw new CommandError(`${user.username} signs in through a provider and has no password.`)
  }
  const password = await promptNewPassword(given =>
    app.passwords.require(given, [user.username, user.email, user.name ?? '']))
  await app.administration.setPassword(user, await app.passwords.hash(password))
  return { data: { id: user.id }, text: `The password of ${user.username} is set. All sessions have ended.` }
})

/** The account was named with an email or an id, perhaps: the username is typed, so that it is the right one. */
async function confirmDeletion (username: string, email: string) {
  if (!isTerminal()) throw new UsageError('Add --yes: there is no terminal to confirm the deletion in.')
  const typed = await prompt(`Delete ${username} (${email}) and all its data? Type the username`)
  if (typed !== username) throw new CommandError('This is another username. Nothing was deleted.')
}

export const remove = withUser(async (app, user, { yes }) => {
  if (!yes) await confirmDeletion(user.username, user.email)
  await app.administration.remove(user)
  return { data: { id: user.id, deleted: true }, text: `${user.username} is deleted, with all data of the account.` }
})
