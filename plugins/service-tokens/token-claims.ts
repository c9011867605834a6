import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { AccountData } from '../../src/accounts/data.ts'
import { inTime } from '../../src/database/outage.ts'
import { createKeptClaims } from '../../src/service-tokens/kept-claims.ts'
import { ACCESS_LIFETIME } from '../../src/sessions/session.ts'
import { tokenClaimsIn } from '../../src/settings/token-claims.ts'

declare module 'fastify' {
  interface FastifyInstance { tokenClaims: ReturnType<typeof createTokenClaims> }
}

/** About 300 bytes each, and 6 kB for one whose data is as large as it can be. */
const MAX_ACCOUNTS = 10_000

/** The members of the data of an account that tokens have: TOKEN_CLAIMS. */
function createTokenClaims ({ accountData, config, revocations }: FastifyInstance) {
  const names = tokenClaimsIn(config.TOKEN_CLAIMS).map(({ name }) => name)

  /** Makes no query without TOKEN_CLAIMS. */
  async function of (userId: string): Promise<AccountData> {
    if (names.length === 0) return {}
    const { data } = await accountData.find(userId)
    return Object.fromEntries(names.filter(name => Object.hasOwn(data, name)).map(name => [name, data[name]]))
  }

  const headers = createKeptClaims({
    read: async userId => Buffer.from(JSON.stringify(await inTime(of(userId)))).toString('base64url'),
    maxAccounts: MAX_ACCOUNTS,
    // The feed of changes does not go back further.
    lifetime: ACCESS_LIFETIME,
  })
  revocations.onChangedAccount(headers.forget)

  return {
    areUsed: names.length > 0,

    of,

    /** The value of X-Auth-Claims, if it is in memory: a change, on any instance, removes it from there. */
    knownHeader: headers.known,

    readHeader: headers.read,
  }
}

export default fp(async function (app) {
  app.decorate('tokenClaims', createTokenClaims(app))
}, { name: 'token-claims', dependencies: ['account-data', 'revocations'] })
