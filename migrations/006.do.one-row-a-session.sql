-- One row for each session. A refresh updates it in place: nothing that it changes is indexed (HOT), except
-- `purge_on`, which changes at most once a day. `token` is the SHA-256 of the current refresh token; older tokens
-- are recognised by the generation in their claims. `rotated_at` is when the current token replaced the one before.
ALTER TABLE refresh_tokens RENAME TO refresh_tokens_before;
ALTER TABLE refresh_tokens_before DROP CONSTRAINT refresh_tokens_pkey, DROP CONSTRAINT refresh_tokens_user_id_fkey;
DROP INDEX refresh_tokens_user;

CREATE TABLE refresh_tokens (
  id           uuid PRIMARY KEY,
  user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  issued_at    timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  signed_in_at timestamptz NOT NULL,
  rotated_at   timestamptz,
  revoked_at   timestamptz,
  generation   integer NOT NULL DEFAULT 0,
  purge_on     date NOT NULL GENERATED ALWAYS AS ((expires_at AT TIME ZONE 'UTC')::date + 1) STORED,
  token        bytea NOT NULL,
  ip           inet,
  user_agent   text,
  revoked_for  text
) WITH (fillfactor = 70); -- room on the page for the next versions of its rows

-- Tokens from before have no generation in their claims. Theirs is the time between sign-in and issue, in seconds,
-- which their claims tell as well.
INSERT INTO refresh_tokens
  (id, user_id, issued_at, expires_at, signed_in_at, rotated_at, generation, token, ip, user_agent)
SELECT t.family_id, t.user_id, t.created_at, t.expires_at, t.signed_in_at, parent.rotated_at,
  extract(epoch FROM t.created_at - t.signed_in_at)::integer, t.token, t.ip, t.user_agent
FROM refresh_tokens_before t LEFT JOIN refresh_tokens_before parent ON parent.successor_id = t.id
WHERE t.rotated_at IS NULL AND t.expires_at > now() AND NOT EXISTS (
  SELECT FROM refresh_tokens_before e WHERE e.family_id = t.family_id AND e.revoked_at IS NOT NULL)
ON CONFLICT DO NOTHING;
DROP TABLE refresh_tokens_before;

CREATE INDEX refresh_tokens_user ON refresh_tokens (user_id);
CREATE INDEX refresh_tokens_purge ON refresh_tokens (purge_on);
GRANT SELECT, INSERT, UPDATE, DELETE ON refresh_tokens TO gatehouse_app;
