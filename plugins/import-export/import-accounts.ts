import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import {
  type Account, accountOf, distinctUsernameFor, RefusedRow, usernameFor,
} from '../../src/import-export/account.ts'
import type { Convert } from '../../src/import-export/other-systems.ts'
import type { Row } from '../../src/import-export/read-rows.ts'
import { isPassword } from '../../src/passwords/no-password.ts'
import type { Existing, NewAccount } from '../records/import-export/account-import.ts'
import type { ImportedHash } from '../records/import-export/imported-hashes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Imports one batch after the other. Each is one transaction, together with its events. */
    beginImport (options: { convert: Convert, dryRun: boolean }): { add (rows: Row[]): Promise<BatchResult> }
  }
}

export interface BatchResult {
  added: number
  /** Of those added: they have no password yet. */
  withoutPassword: number
  /** They have an account already. */
  existing: number
  refused: Array<{ line: number, reason: string }>
}

interface Candidate { line: number, account: Account, username: string }

const TAKEN = 'the username belongs to another account'
const TAKEN_MEANWHILE = 'the email or username was taken meanwhile: run the import again'

function createImport (app: FastifyInstance): FastifyInstance['beginImport'] {
  const { accountImport, administration, config, database, events, importedHashes } = app

  function candidateOf ({ line, fields = {} }: Row, convert: Convert): Candidate {
    const account = accountOf(convert(fields))
    const username = account.username ?? usernameFor(account.email)
    administration.requireValidFields({ username, email: account.email, name: account.name ?? undefined })
    return { line, account, username }
  }

  async function write (accounts: NewAccount[]): Promise<Set<string>> {
    return database.transact(async client => {
      const created = await accountImport.insert(client, accounts)
      await events.recordAllByOperator('registered', created.map(({ id }) => id), client, 'command line')
      await importedHashes.note(client, slowest(accounts, config.BCRYPT_COST))
      return new Set(created.map(({ email }) => email))
    })
  }

  return function beginImport ({ convert, dryRun }) {
    // The line of each address and username, since the database knows only those that were written.
    const emails = new Map<string, number>()
    const usernames = new Map<string, number>()

    function requireFirst (seen: Map<string, number>, key: string, line: number, name: string) {
      const before = seen.get(key)
      if (before !== undefined) throw new RefusedRow(`the same ${name} as in line ${before}`)
      seen.set(key, line)
    }

    /** A username that was made from the address is made distinct. */
    function settle (candidate: Candidate, existing: Index): NewAccount | undefined {
      const { line, account } = candidate
      const email = account.email.toLowerCase()
      requireFirst(emails, email, line, 'email')
      const found = existing.byEmail.get(email)
      if (found) return refuseOther(found, account)
      const isTaken = (name: string) => existing.usernames.has(name.toLowerCase()) || usernames.has(name.toLowerCase())
      const username = !account.username && isTaken(candidate.username)
        ? distinctUsernameFor(email)
        : candidate.username
      requireFirst(usernames, username.toLowerCase(), line, 'username')
      if (existing.usernames.has(username.toLowerCase())) throw new RefusedRow(TAKEN)
      return { ...account, username }
    }

    return {
      async add (rows) {
        const result: BatchResult = { added: 0, withoutPassword: 0, existing: 0, refused: [] }
        function attempt<T> (line: number, work: () => T): T | undefined {
          try {
            return work()
          } catch (error) {
            if (!(error instanceof RefusedRow || error instanceof HttpError)) throw error
            result.refused.push({ line, reason: error.message })
          }
        }
        const candidates = rows.flatMap(row => attempt(row.line, () => {
          if (row.problem) throw new RefusedRow(row.problem)
          return candidateOf(row, convert)
        }) ?? [])
        const existing = indexOf(await accountImport.find(
          candidates.map(({ account }) => account.email.toLowerCase()),
          candidates.map(({ username }) => username.toLowerCase())
        ))
        const fresh: Array<{ line: number, account: NewAccount }> = []
        for (const candidate of candidates) {
          attempt(candidate.line, () => {
            const account = settle(candidate, existing)
            if (account) fresh.push({ line: candidate.line, account })
            else result.existing++
          })
        }
        const accounts = fresh.map(({ account }) => account)
        const written = dryRun || accounts.length === 0 ? undefined : await write(accounts)
        for (const { line, account } of fresh) {
          if (written && !written.has(account.email)) result.refused.push({ line, reason: TAKEN_MEANWHILE })
          else result.added++
          if (!isPassword(account.passwordHash)) result.withoutPassword++
        }
        result.refused.sort((a, b) => a.line - b.line)
        return result
      },
    }
  }
}

interface Index { byEmail: Map<string, Existing>, usernames: Set<string> }

function indexOf (existing: Existing[]): Index {
  return {
    byEmail: new Map(existing.map(each => [each.email, each])),
    usernames: new Set(existing.filter(({ hasPassword }) => hasPassword).map(({ username }) => username)),
  }
}

/** An account with the same address is the same one, unless the file names another username. */
function refuseOther (found: Existing, { username }: Account): undefined {
  if (username && username.toLowerCase() !== found.username) {
    throw new RefusedRow('the email belongs to an account with another username')
  }
}

/** The slowest hash of each scheme. Those of bcrypt count only if they are slower than our own. */
function slowest (accounts: Account[], cost: number): ImportedHash[] {
  const found = new Map<string, ImportedHash>()
  for (const { hash } of accounts) {
    if (!hash || (hash.scheme === 'bcrypt' && hash.work <= cost)) continue
    if (hash.work > (found.get(hash.scheme)?.work ?? 0)) found.set(hash.scheme, hash)
  }
  return [...found.values()]
}

export default fp(async function (app) {
  app.decorate('beginImport', createImport(app))
}, {
  name: 'import-accounts',
  dependencies: ['account-import', 'administration', 'database', 'events', 'imported-hashes'],
})
