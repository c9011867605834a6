import { createHmac, randomBytes, randomInt } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../../src/secrets/derived-keys.ts'
import { digest } from '../../../src/secrets/digest.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { mailCodes: ReturnType<typeof createMailCodes> }
}

/** What a code is for: a sign-in, the address of a new account, a new address, or a proof of identity. */
type CodePurpose = 'sign-in' | 'verify' | 'change-email' | 'confirm'

interface NewCode {
  purpose: CodePurpose
  email: string
  /** The digest of what only the browser that asked has. */
  askedBy: Buffer
  /** Whether the browser has signed in to the account before, or has a session of it. */
  known?: boolean
  userId?: string
}

/** For a mail. Without `askedBy`, the code is for the browser that asked last. */
interface CodeToIssue { purpose: CodePurpose, email: string, askedBy?: Buffer, userId?: string }

/** Whose code or link it is. Without an account, the address can become that of a new one. */
interface CodeOwner { email: string, userId: string | null }

const LIFETIME: Record<CodePurpose, string> = {
  'sign-in': '10 minutes', confirm: '10 minutes', 'change-email': '1 hour', verify: '24 hours',
}

const MAX_TRIES = 5
/** Wrong tries for each address: of all known browsers together, and of all others. Then mails have the link alone. */
const MAX_WRONG = 5
const IS_RECENT = "g.since > now() - interval '14 days'"
const IS_LIVE = 'used_at IS NULL AND expires_at > now()'
const ADDRESS = "sha256(convert_to(email, 'UTF8'))"

const BEGIN = `
  INSERT INTO mail_codes (asked_by, email, purpose, known, user_id, expires_at)
  VALUES ($1, $2, $3, $4, $5, now() + $6::interval)
  ON CONFLICT (asked_by) DO UPDATE SET
    email = excluded.email, purpose = excluded.purpose, known = excluded.known, user_id = excluded.user_id,
    expires_at = excluded.expires_at, code = NULL, token = NULL, tries = 0, created_at = now(), used_at = NULL`

const FIND = `
  SELECT asked_by AS "askedBy" FROM mail_codes
  WHERE email = $1 AND purpose = $2 AND coalesce(asked_by = $3, true) AND coalesce(user_id = $4, true) AND ${IS_LIVE}
  ORDER BY created_at DESC LIMIT 1`

// Only for the address that the mail goes to: the browser may have asked for another one since it was found.
const ISSUE = `
  UPDATE mail_codes SET user_id = $2, token = $4, tries = 0, code = CASE WHEN NOT EXISTS (
    SELECT FROM mail_code_guesses g
    WHERE g.address = ${ADDRESS} AND g.known = mail_codes.known AND g.wrong >= ${MAX_WRONG} AND ${IS_RECENT}
  ) THEN $3::bytea END
  WHERE asked_by = $1 AND email = $5 AND purpose = $6 AND ${IS_LIVE} RETURNING code IS NOT NULL AS "hasCode"`

// One statement with both rows locked, so that concurrent tries are counted one after the other. It writes the same for
// an address that has no code. What the user of the right code mistyped before does not count.
const TRY = `
  WITH tried AS (
    SELECT email, known, tries, coalesce(code = ANY ($3), false) AS is_right FROM mail_codes
    WHERE asked_by = $1 AND purpose = $2 AND tries < ${MAX_TRIES} AND ${IS_LIVE} FOR UPDATE
  ), counted AS (
    INSERT INTO mail_code_guesses AS g (address, known, wrong)
    SELECT ${ADDRESS}, known, CASE WHEN is_right THEN 0 ELSE 1 END FROM tried
    ON CONFLICT (address, known) DO UPDATE SET
      wrong = CASE WHEN excluded.wrong = 0 THEN greatest(g.wrong - (SELECT tries FROM tried), 0)
        WHEN ${IS_RECENT} THEN g.wrong + 1 ELSE 1 END,
      since = CASE WHEN g.wrong > 0 AND ${IS_RECENT} THEN g.since ELSE now() END
    WHERE g.wrong < ${MAX_WRONG} OR NOT ${IS_RECENT}
    RETURNING true
  )
  UPDATE mail_codes SET tries = mail_codes.tries + 1, used_at = CASE WHEN is_right THEN now() END
  FROM tried, counted WHERE asked_by = $1
  RETURNING mail_codes.email, user_id AS "userId", is_right AS "isRight"`

const BLOCKED_FOR = `
  SELECT ceil(extract(epoch FROM since + interval '14 days' - now()))::int AS seconds FROM mail_code_guesses g
  WHERE address = sha256(convert_to($1, 'UTF8')) AND known = $2 AND wrong >= ${MAX_WRONG} AND ${IS_RECENT}`

/** What only a session has, instead of a cookie of its own. */
export const askedBySession = (purpose: CodePurpose, sid: string, email: string): Buffer =>
  digest(`${purpose} ${sid} ${email.toLowerCase()}`)

/** Codes in mails, and links beside them that sign in on another device. Both end with the first use of either. */
function createMailCodes ({ config, database }: FastifyInstance) {
  const keys = keysFor('mail-codes', config)
  const keyOf = (email: string) => email.toLowerCase()

  /** One for each secret. The first is the one to store. */
  const hashesOf = (askedBy: Buffer, code: string) =>
    keys.map(key => createHmac('sha256', key).update(askedBy).update(code).digest()) as [Buffer]

  return {
    /** Ends the code before, of the same browser. The new one is made when its mail is written. */
    async begin (client: Queryable, { purpose, email, askedBy, known = false, userId }: NewCode) {
      await client.query(BEGIN, [askedBy, keyOf(email), purpose, known, userId, LIFETIME[purpose]])
    },

    /**
     * For a mail. Undefined if a newer request took its place, or it has expired. Without a code if there were too
     * many wrong ones: it could be guessed, and the link cannot.
     */
    async issue ({ purpose, email, askedBy, userId }: CodeToIssue) {
      const { rows: [found] } = await database.query<{ askedBy: Buffer }>(
        FIND, [keyOf(email), purpose, askedBy, userId])
      if (!found) return undefined
      const code = String(randomInt(1_000_000)).padStart(6, '0')
      const token = randomBytes(32).toString('base64url')
      const values = [found.askedBy, userId, hashesOf(found.askedBy, code)[0], digest(token), keyOf(email), purpose]
      const { rows: [issued] } = await database.query<{ hasCode: boolean }>(ISSUE, values)
      return issued && { code: issued.hasCode ? code : undefined, token }
    },

    /** For how many seconds mails to the address have no code. Undefined if they have one. */
    async blockedFor (email: string, known: boolean): Promise<number | undefined> {
      const { rows } = await database.query<{ seconds: number }>(BLOCKED_FOR, [keyOf(email), known])
      return rows[0]?.seconds
    },

    /** Counts a try. Spaces do not matter. Undefined if this browser has no code, or no try is left. */
    async try (askedBy: Buffer, purpose: CodePurpose, code: string, client: Queryable = database) {
      const { rows } = await client.query<CodeOwner & { isRight: boolean }>(
        TRY, [askedBy, purpose, hashesOf(askedBy, code.replace(/\s/g, ''))])
      return rows[0]
    },

    /** Whose link it is. The link stays valid. */
    async peekLink (token: string): Promise<CodeOwner & { askedBy: Buffer } | undefined> {
      const { rows } = await database.query<CodeOwner & { askedBy: Buffer }>(`
        SELECT email, user_id AS "userId", asked_by AS "askedBy" FROM mail_codes
        WHERE token = $1 AND purpose = 'sign-in' AND ${IS_LIVE}`, [digest(token)])
      return rows[0]
    },

    /** Atomic: only one concurrent caller gets it. Wrong tries still count: they may be those of a stranger. */
    async useLink (token: string): Promise<CodeOwner | undefined> {
      const { rows } = await database.query<CodeOwner>(`
        UPDATE mail_codes SET used_at = now() WHERE token = $1 AND purpose = 'sign-in' AND ${IS_LIVE}
        RETURNING email, user_id AS "userId"`, [digest(token)])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('mailCodes', createMailCodes(app))
}, { name: 'mail-codes', dependencies: ['database'] })
