import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import { readHash, RefusedRow } from '../../src/import-export/account.ts'
import type { NewUser } from '../records/accounts/users.ts'

/** Without a password and a hash, the owner is invited. */
type AccountFields = Omit<NewUser, 'passwordHash'> & {
  password?: string
  /** Made by this or another system, in a form that the import reads. */
  passwordHash?: string
  /** Whether the operator vouches for the address. */
  emailVerified?: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the id. `by`: as for `administration`. */
    createAccount (fields: AccountFields, by?: string): Promise<string>
  }
}

function readForeign (hash: string) {
  try {
    return readHash(hash, 'passwordHash')
  } catch (error) {
    throw error instanceof RefusedRow ? new HttpError(400, `${error.message}.`) : error
  }
}

/** An account that an operator creates: with a password, with the hash of one, or with an invitation. */
function createCreateAccount ({ administration, config, passwords }: FastifyInstance) {
  return async function createAccount (fields: AccountFields, by?: string): Promise<string> {
    const { password, passwordHash, emailVerified = false, ...user } = fields
    if (password !== undefined && passwordHash !== undefined) {
      throw new HttpError(400, 'Send a password or a passwordHash, not both.')
    }
    if (password !== undefined) {
      await passwords.require(password, [user.username, user.email, user.name ?? ''])
      const hashed = await passwords.hash(password)
      return administration.add({ ...user, passwordHash: hashed }, { verified: emailVerified }, by)
    }
    if (passwordHash !== undefined) {
      const { passwordHash: known, hash } = readForeign(passwordHash)
      const isSlower = hash.scheme !== 'bcrypt' || hash.work > config.BCRYPT_COST
      const welcome = { verified: emailVerified, imported: isSlower ? hash : undefined }
      return administration.add({ ...user, passwordHash: known }, welcome, by)
    }
    if (emailVerified) {
      throw new HttpError(400, 'emailVerified needs a password or a hash: an invitation confirms the address.')
    }
    return administration.invite(user, by)
  }
}

export default fp(async function (app) {
  app.decorate('createAccount', createCreateAccount(app))
}, { name: 'create-account', dependencies: ['administration', 'passwords'] })
