import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { SCHEMA } from '../../../src/database/job-queues.ts'
import { HAS_PASSWORD } from '../../../src/passwords/no-password.ts'

declare module 'fastify' {
  interface FastifyInstance { ownData: ReturnType<typeof createOwnData> }
}

type Row = Record<string, unknown>

const ACCOUNT = `
  SELECT id, username, email, name, external_id AS "externalId", language, time_zone AS "timeZone", provider,
    ${HAS_PASSWORD} AS "hasPassword",
    email_verified_at AS "emailVerifiedAt", verification_sent_at AS "verificationSentAt",
    first_signed_in_at AS "firstSignedInAt", stolen_password_told_at AS "stolenPasswordToldAt",
    created_at AS "createdAt", updated_at AS "updatedAt"
  FROM users WHERE id = $1`

const DATA = 'SELECT data, version, updated_at AS "updatedAt" FROM account_data WHERE user_id = $1'

// Of providers A and B only the id is stored.
const PROVIDERS = `
  SELECT fixed.provider, fixed.subject, NULL AS issuer, NULL AS email, NULL AS "connectedAt", NULL AS "lastUsedAt"
  FROM users, LATERAL (VALUES ('provider_a', provider_a_id), ('provider_b', provider_b_id)) AS fixed (provider, subject)
  WHERE id = $1 AND fixed.subject IS NOT NULL
  UNION ALL
  (SELECT provider, subject, issuer, email, created_at, last_used_at FROM identities
   WHERE user_id = $1 ORDER BY created_at)`

const PASSKEYS = `
  SELECT public_id AS id, id AS "credentialId", name, device_type AS "deviceType", backed_up AS synced, transports,
    created_at AS "createdAt", last_used_at AS "lastUsedAt"
  FROM passkeys WHERE user_id = $1 ORDER BY created_at, id`

const TOTP = 'SELECT created_at AS "createdAt", confirmed_at AS "confirmedAt" FROM totp WHERE user_id = $1'

const RECOVERY_CODES = `
  SELECT count(*) FILTER (WHERE used_at IS NULL)::int AS left, min(created_at) AS "createdAt",
    max(used_at) AS "lastUsedAt"
  FROM recovery_codes WHERE user_id = $1`

const LINKS = `
  SELECT kind, email, created_at AS "createdAt", expires_at AS "expiresAt", used_at AS "usedAt"
  FROM one_time_tokens WHERE user_id = $1 ORDER BY id`

const CODES = `
  SELECT purpose, email, created_at AS "createdAt", expires_at AS "expiresAt", used_at AS "usedAt", tries, known
  FROM mail_codes WHERE user_id = $1 ORDER BY created_at`

const WRONG_CODES = `
  SELECT known, wrong, since FROM mail_code_guesses WHERE address = (
    SELECT sha256(convert_to(lower(email), 'UTF8')) FROM users WHERE id = $1) ORDER BY known`

// Sent ones are kept for an hour. A mail with a user id goes to an address that need not be that of the account.
const MAILS = `
  SELECT data->>'kind' AS kind, data->>'email' AS email, created_on AS "createdAt", state::text AS state
  FROM ${SCHEMA}.job
  WHERE name = 'mail' AND CASE WHEN data ? 'userId' THEN data->>'userId' = $1
    ELSE lower(data->>'email') = (SELECT lower(email) FROM users WHERE id = $1::bigint) END
  ORDER BY created_on`

const LAST_SIGN_IN = 'SELECT at FROM last_sign_ins WHERE user_id = $1'

const OPERATOR = 'SELECT role, added_at AS "addedAt" FROM operators WHERE user_id = $1'

const SUSPENDED_OPERATOR =
  'SELECT role, suspended_at AS "suspendedAt" FROM suspended_operators WHERE user_id = $1'

const OPERATOR_SESSIONS = `
  SELECT id, proved_at AS "provedAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt"
  FROM operator_sessions WHERE user_id = $1 ORDER BY expires_at`

const APPLICATIONS = `
  SELECT c.application_id AS "applicationId", a.name, c.scopes, c.granted_at AS "grantedAt"
  FROM application_consents c JOIN applications a ON a.id = c.application_id WHERE c.user_id = $1 ORDER BY c.granted_at`

const APPLICATION_GRANTS = `
  SELECT g.id, g.application_id AS "applicationId", a.name, a.document_url AS "documentUrl",
    a.registration IS NOT NULL AS "unverified", g.scopes, g.session_id AS "sessionId",
    g.signed_in_from AS "signedInFrom", g.created_at AS "createdAt", g.used_at AS "lastUsedAt", g.ended_at AS "endedAt"
  FROM application_grants g JOIN applications a ON a.id = g.application_id WHERE g.user_id = $1 ORDER BY g.created_at`

const SESSIONS = `
  SELECT id, host(ip) AS ip, user_agent AS "userAgent", signed_in_at AS "firstUsedAt", issued_at AS "lastUsedAt",
    expires_at AS "expiresAt", auth_time AS "confirmedAt", amr AS methods, revoked_at AS "endedAt",
    revoked_for AS "endedBecause", replaced_by AS "replacedBy", first_id AS "firstId",
    application_id AS "applicationId", device_key IS NOT NULL AS "boundToDevice"
  FROM refresh_tokens WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3`
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** What is stored about one user, without hashes, keys and tokens. A test compares it with the tables. */
function createOwnData ({ database }: FastifyInstance) {
  async function all (text: string, userId: string): Promise<Row[]> {
    const { rows } = await database.query<Row>(text, [userId])
    return rows
  }
  const one = async (text: string, userId: string): Promise<Row | null> => (await all(text, userId))[0] ?? null

  return {
    /** What is stored in a few rows. Null if there is no such account. */
    async read (userId: string) {
      const account = await one(ACCOUNT, userId)
      return account && {
        account,
        applicationData: await one(DATA, userId),
        providers: await all(PROVIDERS, userId),
        passkeys: await all(PASSKEYS, userId),
        authenticatorApp: await one(TOTP, userId),
        recoveryCodes: await one(RECOVERY_CODES, userId),
        links: await all(LINKS, userId),
        codes: await all(CODES, userId),
        wrongCodes: await all(WRONG_CODES, userId),
        mails: await all(MAILS, userId),
        lastSignIn: await one(LAST_SIGN_IN, userId),
        operator: await one(OPERATOR, userId),
        suspendedOperator: await one(SUSPENDED_OPERATOR, userId),
        operatorSessions: await all(OPERATOR_SESSIONS, userId),
        applications: await all(APPLICATIONS, userId),
        applicationGrants: await all(APPLICATION_GRANTS, userId),
      }
    },

    /** The sessions, also those that have ended, page by page. */
    async * sessions (userId: string, pageSize: number): AsyncGenerator<Row[]> {
      for (let after = BEFORE_ALL; ;) {
        const { rows } = await database.query<Row & { id: string }>(SESSIONS, [userId, after, pageSize])
        yield rows
        const last = rows[pageSize - 1]
        if (!last) return
        after = last.id
      }
    },
  }
}

export default fp(async function (app) {
  app.decorate('ownData', createOwnData(app))
}, { name: 'own-data', dependencies: ['database'] })
