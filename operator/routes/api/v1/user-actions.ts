import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { actionSchema, ResetFactorsSchema } from '../../../../schemas/operator/account.ts'
import { NoSuchUser } from '../../../../src/operators/errors.ts'

/** Each is a method of `administration`. */
const ACTIONS = {
  disable: actionSchema('Disable an account', 'Ends every session and prevents sign-in.'),
  enable: actionSchema('Enable an account', 'Allows sign-in again.'),
  'verify-email': actionSchema('Confirm the email address', 'You vouch for the address of the account.'),
  'end-sessions': actionSchema('End every session', 'The owner has to sign in again everywhere.'),
  'expire-password': actionSchema(
    'Expire the password',
    'For a password that leaked. It is wrong from now on, every session ends, and a mail tells the owner to choose ' +
      'another one through a reset. `changed` is false if the account has no password.'
  ),
  'send-reset-mail': actionSchema('Send a mail to reset the password', 'At most five an hour for each mailbox.'),
}

type Action = keyof typeof ACTIONS

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { administration, allow, users } = app
  const run: Record<Action, (user: Parameters<typeof administration.disable>[0], by: string) => Promise<unknown>> = {
    disable: administration.disable,
    enable: administration.enable,
    'verify-email': administration.verifyEmail,
    'end-sessions': administration.endSessions,
    'expire-password': administration.expirePassword,
    'send-reset-mail': administration.sendResetMail,
  }

  for (const action of Object.keys(ACTIONS) as Action[]) {
    const schema = { ...ACTIONS[action], operationId: action.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()) }
    const onRequest = allow(action === 'verify-email' ? 'users:email' : 'users:write')
    app.post(`/:id/${action}`, { schema, onRequest }, async function act ({ actor, params }) {
      const user = await users.findById(params.id)
      if (!user) throw new NoSuchUser()
      return { changed: await run[action](user, actor) !== false }
    })
  }

  app.post('/:id/reset-factors', {
    schema: ResetFactorsSchema,
    onRequest: allow('users:write'),
  }, async function resetFactors ({ actor, params }) {
    const user = await users.findById(params.id)
    if (!user) throw new NoSuchUser()
    return administration.resetFactors(user, actor)
  })
}

export const autoPrefix = 'users'
export default routes
