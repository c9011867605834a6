import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { COMMAND_LINE } from '../../../src/openid/command-line.ts'
import type { Role } from '../../../src/operators/roles.ts'
import { IS_LIVE } from '../openid/application-grants.ts'
import { artifactId } from '../openid/openid-artifacts.ts'

declare module 'fastify' {
  interface FastifyInstance { commandLineSignIns: ReturnType<typeof createCommandLineSignIns> }
}

interface CommandLineOperator { username: string, role: Role }

/** All of an account. */
export const END_COMMAND_LINE = `
  UPDATE application_grants SET ended_at = now()
  WHERE user_id = $1 AND application_id = '${COMMAND_LINE.id}' AND ended_at IS NULL`

// A sign-in from before the right was last given stays without it, and so does an account without a second factor. A
// token that is bound to a key would need a proof.
const FIND = `
  SELECT u.username, o.role
  FROM openid_artifacts a
    JOIN application_grants g ON g.id = a.grant_id AND g.application_id = '${COMMAND_LINE.id}' AND g.ended_at IS NULL
    JOIN refresh_tokens s ON s.id = g.session_id
    JOIN users u ON u.id = g.user_id
    JOIN operators o ON o.user_id = u.id AND o.added_at <= g.created_at
  WHERE a.id = $1 AND a.expires_at > now() AND a.payload->>'jkt' IS NULL AND 'mfa' = ANY (s.amr) AND ${IS_LIVE}
    AND (EXISTS (SELECT FROM totp t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL)
      OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id))`

/** Operators who signed in with `gatehouse login`. */
function createCommandLineSignIns ({ database }: FastifyInstance) {
  return {
    /** Undefined also if the account is no operator, signed in without a second factor, or the session has ended. */
    async find (token: string): Promise<CommandLineOperator | undefined> {
      const { rows } = await database.query<CommandLineOperator>(FIND, [artifactId('AccessToken', token)])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('commandLineSignIns', createCommandLineSignIns(app))
}, { name: 'command-line-sign-ins', dependencies: ['database'] })
