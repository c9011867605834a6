import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ListFactorsSchema } from '../../../../schemas/factor-list.ts'
import { RecoveryCodesSchema } from '../../../../schemas/factors.ts'
import { Conflict, Unauthorized } from '../../../../src/errors.ts'
import { isProtected } from '../../../../src/factors/methods.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, authenticateToEnrol, config, csrf } = app
  const { factorChanges, factors, freshProof, ownPasskeys, ownProviders, recoveryCodesStore } = app

  app.get('', {
    schema: ListFactorsSchema,
    config: { limit: 'reading' },
    onRequest: authenticateToEnrol,
  }, async function listFactors ({ user }) {
    const ways = await factors.waysOf(user.userId)
    if (!ways) throw new Unauthorized()
    const { totp, recoveryCodesLeft } = ways
    const overview = await ownPasskeys.overview(user.userId)
    const identities = await ownProviders.list(user.userId)
    const required = config.SECOND_FACTOR === 'required'
    return { ...overview, totp, recoveryCodesLeft, required, identities, methods: freshProof.methodsFor(ways) }
  })

  app.post('/recovery-codes', {
    schema: RecoveryCodesSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect, app.requireFresh],
  }, async function createRecoveryCodes (request) {
    const { userId } = request.user
    const recoveryCodes = await factorChanges.run(request, 'recovery_codes_created', async client => {
      if (!isProtected(await factors.of(userId, client))) {
        throw new Conflict('Add a second factor first: recovery codes stand in for it.')
      }
      return recoveryCodesStore.replace(client, userId)
    })
    return { recoveryCodes }
  })
}

export default routes
