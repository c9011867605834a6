import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import formats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import { RegisterSchema } from '../../schemas/accounts.ts'
import { askNewPassword } from './ask.ts'
import { chooseAction, Refusal, takeNames, type Arguments, type Command, type Outcome } from './command.ts'
import { describeUser, findUser } from './user-view.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse user add USERNAME EMAIL [--name NAME] [--verified] [--json]
       gatehouse user show|disable|enable|set-password|end-sessions USER [--json]

  add            a new account; without --verified its owner confirms the address by mail, within
                 7 days, or it is deleted
  show           the account and its sessions
  disable        nobody can sign in to it; every session ends
  enable         the other way round
  set-password   a new password; every session ends and its owner gets a mail
  end-sessions   signs it out everywhere

USER is a username, an email or id:42. The password is asked for without echo, or is the first
line of standard input, and keeps the rules that hold for everybody. Access tokens that are out
already are good for 15 minutes more; wherever something changes, the session is looked up.

Examples
  gatehouse user add ada ada@example.com --name 'Ada Lovelace' --verified
  gatehouse user add ada ada@example.com < password.txt
  gatehouse user show ada@example.com --json
  gatehouse user disable id:42
`

// The form that Fastify asks of an address, for TypeBox brings none of its own.
const EMAIL = formats.default.get('email') as RegExp
FormatRegistry.Set('email', value => EMAIL.test(value))

async function add ({ positionals, values }: Arguments): Promise<Outcome> {
  const [username, email] = takeNames(positionals, 'USERNAME', 'EMAIL')
  const name = values.name as string | undefined
  requireShape({ username, email, name })
  const password = await askNewPassword()
  return withService(async app => {
    await app.passwords.require(password, [username, email, name ?? ''])
    const id = await app.administration.add({ username, email, name, passwordHash: await app.passwords.hash(password) }, { verified: Boolean(values.verified) })
    const waits = !values.verified && app.config.EMAIL_VERIFICATION === 'required'
    return { data: { id, username, email }, text: `Added ${username} with the id ${id}.${waits ? ` A mail to ${email} asks to confirm the address within 7 days.` : ''}` }
  })
}

/** What a registration takes. */
function requireShape (given: { username: string, email: string, name?: string }) {
  const { username, email, name } = RegisterSchema.body.properties
  if (!Value.Check(username, given.username)) throw new Refusal(`The username cannot be taken: it has ${username.description}.`)
  if (!Value.Check(email, given.email)) throw new Refusal('The email cannot be taken: it is no address.')
  if (given.name !== undefined && !Value.Check(name, given.name)) throw new Refusal('The name cannot be taken: it is too long, or has characters that cannot be seen.')
}

const show = ({ positionals }: Arguments) => withUser(positionals, async (app, user) => describeUser(user, await app.sessions.list(user.id)))

const disable = ({ positionals }: Arguments) => withUser(positionals, async (app, user) => {
  const changed = await app.administration.disable(user)
  return { data: { id: user.id, disabled: true, changed }, text: changed ? `${user.username} is disabled, and every session has ended.` : `${user.username} was disabled already.` }
})

const enable = ({ positionals }: Arguments) => withUser(positionals, async (app, user) => {
  const changed = await app.administration.enable(user)
  return { data: { id: user.id, disabled: false, changed }, text: changed ? `${user.username} is enabled again.` : `${user.username} was not disabled.` }
})

const endSessions = ({ positionals }: Arguments) => withUser(positionals, async (app, user) => {
  const ended = (await app.sessions.list(user.id)).length
  await app.administration.endSessions(user)
  return { data: { id: user.id, ended }, text: `${user.username} is signed out everywhere: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended.` }
})

async function setPassword ({ positionals }: Arguments): Promise<Outcome> {
  takeNames(positionals, 'USER')
  const password = await askNewPassword()
  return withUser(positionals, async (app, user) => {
    if (!user.passwordHash) throw new Refusal(`${user.username} signs in through a provider and has no password.`)
    await app.passwords.require(password, [user.username, user.email, user.name ?? ''])
    await app.administration.setPassword(user, await app.passwords.hash(password))
    return { data: { id: user.id }, text: `The password of ${user.username} is set, and every session has ended.` }
  })
}

async function withUser (positionals: string[], work: (app: FastifyInstance, user: Awaited<ReturnType<typeof findUser>>) => Promise<Outcome>): Promise<Outcome> {
  const [login] = takeNames(positionals, 'USER')
  return withService(async app => work(app, await findUser(app, login)))
}

const command: Command = {
  help: HELP,
  options: { name: { type: 'string' }, verified: { type: 'boolean' } },
  run: chooseAction({ add, show, disable, enable, 'set-password': setPassword, 'end-sessions': endSessions }),
}

export default command
