import fp from 'fastify-plugin'
import { createRecoveryCodes, digestOfCode } from '../../../src/factors/recovery-codes.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { recoveryCodesStore: ReturnType<typeof createRecoveryCodesStore> }
}

function createRecoveryCodesStore () {
  async function removeAll (client: Queryable, userId: string) {
    await client.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId])
  }

  return {
    removeAll,

    /** New codes, which are shown once: only their digests are stored. The codes before become invalid. */
    async replace (client: Queryable, userId: string): Promise<string[]> {
      const codes = createRecoveryCodes()
      await removeAll(client, userId)
      await client.query('INSERT INTO recovery_codes (user_id, digest) SELECT $1, unnest($2::bytea[])', [
        userId, codes.map(code => digestOfCode(userId, code)),
      ])
      return codes
    },

    /** Each code is accepted once. Atomic: only one concurrent caller succeeds. */
    async use (client: Queryable, userId: string, code: string): Promise<boolean> {
      const { rowCount } = await client.query(
        'UPDATE recovery_codes SET used_at = now() WHERE user_id = $1 AND digest = $2 AND used_at IS NULL',
        [userId, digestOfCode(userId, code)]
      )
      return rowCount === 1
    },
  }
}

export default fp(async function (app) {
  app.decorate('recoveryCodesStore', createRecoveryCodesStore())
}, { name: 'recovery-codes-store' })
