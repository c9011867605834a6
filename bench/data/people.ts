import type { Stage } from '../environment/stage.ts'

/** Accounts with names, addresses and external ids that differ, as those of people do. One in 2,000 is disabled. */
export async function fillPeople (stage: Pick<Stage, 'query'>, database: string, users: number) {
  await stage.query(database, `
    INSERT INTO users (username, email, name, external_id, email_verified_at, disabled_at, created_at)
    SELECT lower(first || '.' || last) || n, lower(first || '.' || last) || n || '@' || host, first || ' ' || last,
      'customer-' || n,
      CASE WHEN n % 50 > 0 THEN now() END, CASE WHEN n % 2000 = 0 THEN now() END, now() - n * interval '1 minute'
    FROM generate_series(1, $1::int) n, LATERAL (SELECT
      (ARRAY['Ada', 'Alan', 'Barbara', 'Dennis', 'Donald', 'Edsger', 'Frances', 'Grace', 'Hedy', 'Joan', 'Katherine',
        'Ken', 'Linus', 'Margaret', 'Radia', 'Tim'])[1 + n * 7 % 16] AS first,
      initcap(substr(md5((n % 30011)::text), 1, 4 + n % 5)) ||
        (ARRAY['son', 'mann', 'ez', 'ski', 'sen', 'berg', 'wood', 'field'])[1 + n % 8] AS last,
      (ARRAY['example.com', 'example.org', 'mail.example.net', 'corp.example'])[1 + n % 4] AS host) person`, [users])
}

/** One in 500 has an authenticator app, one in 700 a passkey. Half of them have signed in. */
export async function fillFactors (stage: Pick<Stage, 'query'>, database: string) {
  await stage.query(database, `
    INSERT INTO totp (user_id, secret, confirmed_at) SELECT id, 'x', now() FROM users WHERE id % 500 = 0`)
  await stage.query(database, `
    INSERT INTO passkeys (id, user_id, public_key, device_type, backed_up, name)
    SELECT 'passkey of ' || id, id, 'x', 'multiDevice', true, 'Laptop' FROM users WHERE id % 700 = 0`)
  await stage.query(database, `
    INSERT INTO last_sign_ins (user_id, at)
    SELECT id, now() - id * interval '1 minute' FROM users WHERE id % 2 = 0`)
}
