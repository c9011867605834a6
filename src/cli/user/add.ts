import type { FastifyInstance } from 'fastify'
import { CommandError, requireArguments, type Arguments, type Outcome } from '../command.ts'
import { promptNewPassword, promptSecret } from '../terminal/prompt.ts'
import { withService } from '../with-service.ts'

function fieldsOf ({ positionals, values }: Arguments) {
  const [username, email] = requireArguments(positionals, 'USERNAME', 'EMAIL')
  return {
    username,
    email,
    name: values.name as string | undefined,
    externalId: values['external-id'] as string | undefined,
  }
}

async function readHash (): Promise<string> {
  const hash = (await promptSecret('Password hash (not shown)')).trim()
  if (!hash) throw new CommandError('No hash was given. Type it, or send it to standard input.')
  return hash
}

/** The password is checked while it is asked for, so that another one can be typed. */
async function addWithPassword (
  { administration, passwords }: FastifyInstance,
  user: ReturnType<typeof fieldsOf>,
  verified: boolean
): Promise<string> {
  const words = [user.username, user.email, user.name ?? '']
  const password = await promptNewPassword(given => passwords.require(given, words))
  return administration.add({ ...user, passwordHash: await passwords.hash(password) }, { verified })
}

export async function add (args: Arguments): Promise<Outcome> {
  const fields = fieldsOf(args)
  const { username, email } = fields
  const verified = Boolean(args.values.verified)
  return withService(async app => {
    const { config, createAccount, requireValidFields } = app
    requireValidFields(fields)
    const id = args.values.hash
      ? await createAccount({ ...fields, passwordHash: await readHash(), emailVerified: verified })
      : await addWithPassword(app, fields, verified)
    const mailed = !verified && config.EMAIL_VERIFICATION === 'required'
    const note = mailed ? ` A mail to ${email} asks the owner to confirm the address within 7 days.` : ''
    return { data: { id, username, email }, text: `Added ${username} with the id ${id}.${note}` }
  })
}

export async function invite (args: Arguments): Promise<Outcome> {
  const fields = fieldsOf(args)
  const { username, email } = fields
  return withService(async ({ administration, requireValidFields }) => {
    requireValidFields(fields)
    const id = await administration.invite(fields)
    return {
      data: { id, username, email },
      text: `Added ${username} with the id ${id}. A mail to ${email} has a link to choose a password, for 7 days.`,
    }
  })
}
