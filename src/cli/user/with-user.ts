import type { FastifyInstance } from 'fastify'
import { requireArguments, type Arguments, type Outcome } from '../command.ts'
import { withService } from '../with-service.ts'
import { findUser } from './view.ts'

type User = Awaited<ReturnType<typeof findUser>>
type UserAction = (app: FastifyInstance, user: User, values: Arguments['values']) => Promise<Outcome>

/** A command whose only argument is a user. */
export const withUser = (action: UserAction) => async function run ({ positionals, values }: Arguments) {
  const [login] = requireArguments(positionals, 'USER')
  return withService(async app => action(app, await findUser(app, login), values))
}
