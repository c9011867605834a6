import { requireArguments, type Arguments, type Outcome } from '../command.ts'
import { promptNewPassword } from '../terminal/prompt.ts'
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

export async function add (args: Arguments): Promise<Outcome> {
  const fields = fieldsOf(args)
  const { username, email, name } = fields
  const verified = Boolean(args.values.verified)
  return withService(async ({ administration, passwords, config }) => {
    administration.requireValidFields(fields)
    const password = await promptNewPassword(given => passwords.require(given, [username, email, name ?? '']))
    const passwordHash = await passwords.hash(password)
    const id = await administration.add({ ...fields, passwordHash }, { verified })
    const mailed = !verified && config.EMAIL_VERIFICATION === 'required'
    const note = mailed ? ` A mail to ${email} asks the owner to confirm the address within 7 days.` : ''
    return { data: { id, username, email }, text: `Added ${username} with the id ${id}.${note}` }
  })
}

export async function invite (args: Arguments): Promise<Outcome> {
  const fields = fieldsOf(args)
  const { username, email } = fields
  return withService(async ({ administration }) => {
    administration.requireValidFields(fields)
    const id = await administration.invite(fields)
    return {
      data: { id, username, email },
      text: `Added ${username} with the id ${id}. A mail to ${email} has a link to choose a password, for 7 days.`,
    }
  })
}
