import type { Pool } from 'pg'

/** Records older than this are made half a year older, so that the purge deletes as much as the traffic creates. */
const YOUNG = "interval '20 seconds'"

const AGE = [
  `UPDATE refresh_tokens SET expires_at = now() - interval '1 day'
   WHERE issued_at < now() - ${YOUNG} AND expires_at > now()`,
  `UPDATE one_time_tokens SET expires_at = expires_at - interval '3 days'
   WHERE created_at < now() - ${YOUNG} AND expires_at > now() - interval '1 day'`,
  `UPDATE auth_events SET created_at = created_at - interval '181 days'
   WHERE created_at BETWEEN now() - interval '1 day' AND now() - ${YOUNG}`,
  // With the seals, or the purge would keep the events.
  `UPDATE audit_seals SET sealed_at = sealed_at - interval '181 days', oldest = oldest - interval '181 days'
   WHERE newest < now() - ${YOUNG} AND sealed_at > now() - interval '1 day'`,
  `UPDATE users SET created_at = created_at - interval '8 days'
   WHERE email_verified_at IS NULL AND created_at BETWEEN now() - interval '1 day' AND now() - ${YOUNG}`,
  `UPDATE pgboss.job SET completed_on = completed_on - interval '2 hours'
   WHERE completed_on BETWEEN now() - interval '1 hour' AND now() - ${YOUNG}`,
  "UPDATE pgboss.queue SET maintain_on = maintain_on - interval '15 minutes'",
]

export async function ageRecords (owner: Pool) {
  for (const statement of AGE) await owner.query(statement)
}
