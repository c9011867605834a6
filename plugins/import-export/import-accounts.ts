import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import {
  type Account, accountOf, distinctUsernameFor, RefusedRow, usernameFor,
} from '../../src/import-export/account.ts'
import type { Convert } from '../../src/import-export/other-systems.ts'
import type { Row } from '../../src/import-export/read-rows.ts'
import { COMMAND_LINE } from '../../src/operators/actors.ts'
import { isPassword } from '../../src/passwords/no-password.ts'
import { messageOfImport } from '../../src/webhooks/messages.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { Existing, NewAccount } from '../records/import-export/account-import.ts'
import type { ImportedHash } from '../records/import-export/imported-hashes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Imports one batch after the other. Each is one transaction, together with its events. */
    beginImport (options: { convert: Convert, dryRun: boolean }): { add (rows: Row[]): Promise<BatchResult> }
  }
}

interface BatchResult {
  added: number
  /** Added accounts that have no password yet. */
  withoutPassword: number
  /** They have an account already. */
  existing: number
  refused: Array<{ line: number, reason: string }>
  /** The old and the new id of each account, also of those that existed. Empty in a dry run. */
  ids: Array<[old: string, now: string]>
}

interface Candidate { line: number, account: Account, username: string }

const TAKEN = 'the username belongs to another account'
const EXTERNAL_ID_TAKEN = 'the external_id belongs to another account'
const TAKEN_MEANWHILE = 'the email, username or external_id was taken meanwhile: run the import again'

function createImport (app: FastifyInstance): FastifyInstance['beginImport'] {
  const { accountImport, config, database, deliveries, events, importedHashes, requireValidFields } = app

  function candidateOf ({ line, fields = {} }: Row, convert: Convert): Candidate {
    const account = accountOf(convert(fields))
    const username = account.username ?? usernameFor(account.email)
    const { email, name, externalId } = account
    requireValidFields({
      username, email, name: name ?? undefined, externalId: externalId ?? undefined,
    })
    return { line, account, username }
  }

  /** Each account has an event, and webhooks get one message for all of them. */
  async function announce (client: Queryable, ids: string[]) {
    await events.recordAllByOperator('imported', ids, client, COMMAND_LINE)
    const event = await events.recordOfService('accounts_imported', `${ids.length} accounts`, client, COMMAND_LINE)
    await deliveries.add(client, [messageOfImport(ids, event)])
  }

  /** Returns the new ids by email. */
  async function write (accounts: NewAccount[]): Promise<Map<string, string>> {
    return database.transact(async client => {
      const created = await accountImport.insert(client, accounts)
      if (created.length > 0) await announce(client, created.map(({ id }) => id))
      const dataOf = new Map(accounts.map(({ email, data }) => [email, data]))
      await accountImport.insertData(client, created.flatMap(({ id, email }) => {
        const data = dataOf.get(email)
        return data ? [{ id, data }] : []
      }))
      await importedHashes.note(client, slowest(accounts, config.BCRYPT_COST))
      return new Map(created.map(({ id, email }) => [email, id]))
    })
  }

  return function beginImport ({ convert, dryRun }) {
    // The line of each address, username and external id, since the database knows only those that were written.
    const emails = new Map<string, number>()
    const usernames = new Map<string, number>()
    const externalIds = new Map<string, number>()

    function requireFirst (seen: Map<string, number>, key: string, line: number, name: string) {
      const before = seen.get(key)
      if (before !== undefined) throw new RefusedRow(`the same ${name} as in line ${before}`)
      seen.set(key, line)
    }

    /** A username that was made from the address is made distinct. */
    function settle (candidate: Candidate, existing: Index): NewAccount | Existing {
      const { line, account } = candidate
      const { externalId } = account
      const email = account.email.toLowerCase()
      requireFirst(emails, email, line, 'email')
      if (externalId) requireFirst(externalIds, externalId, line, 'external_id')
      const found = existing.byEmail.get(email)
      const holder = externalId ? existing.byExternalId.get(externalId) : undefined
      if (holder && holder.id !== found?.id) throw new RefusedRow(EXTERNAL_ID_TAKEN)
      if (found) return requireSame(found, account)
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
        const result: BatchResult = { added: 0, withoutPassword: 0, existing: 0, refused: [], ids: [] }
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
          candidates.map(({ username }) => username.toLowerCase()),
          candidates.flatMap(({ account }) => account.externalId ?? [])
        ))
        const fresh: Array<{ line: number, account: NewAccount }> = []
        for (const candidate of candidates) {
          attempt(candidate.line, () => {
            const settled = settle(candidate, existing)
            if (!('id' in settled)) return fresh.push({ line: candidate.line, account: settled })
            result.existing++
            noteId(result, candidate.account, dryRun ? undefined : settled.id)
          })
        }
        const accounts = fresh.map(({ account }) => account)
        const written = dryRun || accounts.length === 0 ? undefined : await write(accounts)
        for (const { line, account } of fresh) {
          if (written && !written.has(account.email)) result.refused.push({ line, reason: TAKEN_MEANWHILE })
          else result.added++
          noteId(result, account, written?.get(account.email))
          if (!isPassword(account.passwordHash)) result.withoutPassword++
        }
        result.refused.sort((a, b) => a.line - b.line)
        return result
      },
    }
  }
}

function noteId ({ ids }: BatchResult, { oldId }: Account, newId: string | undefined) {
  if (oldId !== undefined && newId !== undefined) ids.push([oldId, newId])
}

interface Index { byEmail: Map<string, Existing>, usernames: Set<string>, byExternalId: Map<string, Existing> }

function indexOf (existing: Existing[]): Index {
  return {
    byEmail: new Map(existing.map(each => [each.email, each])),
    usernames: new Set(existing.filter(({ hasPassword }) => hasPassword).map(({ username }) => username)),
    byExternalId: new Map(existing.flatMap(each => each.externalId ? [[each.externalId, each]] : [])),
  }
}

/** An account with the same address is the same one, unless the file names another username or external id. */
function requireSame (found: Existing, { username, externalId }: Account): Existing {
  if (username && username.toLowerCase() !== found.username) {
    throw new RefusedRow('the email belongs to an account with another username')
  }
  if (externalId && found.externalId && externalId !== found.externalId) {
    throw new RefusedRow('the email belongs to an account with another external_id')
  }
  return found
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
  dependencies: ['account-import', 'database', 'deliveries', 'events', 'imported-hashes', 'valid-fields'],
})
