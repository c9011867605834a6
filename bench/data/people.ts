import type { Stage } from '../environment/stage.ts'

/** Accounts with names and addresses that differ, as those of people do. One in 2,000 is disabled. */
export async function fillPeople (stage: Pick<Stage, 'query'>, database: string, users: number) {
  await stage.query(database, `
    INSERT INTO users (username, email, name, email_verified_at, disabled_at, created_at)
    SELECT lower(first || '.' || last) || n, lower(first || '.' || last) || n || '@' || host, first || ' ' || last,
      CASE WHEN n % 50 > 0 THEN now() END, CASE WHEN n % 2000 = 0 THEN now() END, now() - n * interval '1 minute'
    FROM generate_series(1, $1::int) n, LATERAL (SELECT
      (ARRAY['Ada', 'Alan', 'Barbara', 'Dennis', 'Donald', 'Edsger', 'Frances', 'Grace', 'Hedy', 'Joan', 'Katherine',
        'Ken', 'Linus', 'Margaret', 'Radia', 'Tim'])[1 + n * 7 % 16] AS first,
      initcap(substr(md5((n % 30011)::text), 1, 4 + n % 5)) ||
        (ARRAY['son', 'mann', 'ez', 'ski', 'sen', 'berg', 'wood', 'field'])[1 + n % 8] AS last,
      (ARRAY['example.com', 'example.org', 'mail.example.net', 'corp.example'])[1 + n % 4] AS host) person`, [users])
}
