-- Challenges of passkeys that were answered. Each is accepted once, by whichever instance. `digest` is its SHA-256.
CREATE TABLE used_challenges (
  digest     bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_challenges_expiry ON used_challenges (expires_at);
GRANT SELECT, INSERT, DELETE ON used_challenges TO gatehouse_app;

-- For addresses, since a credential id can be longer than a part of an address may be.
ALTER TABLE passkeys ADD COLUMN public_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid();
