-- Whether an application may sign users in on another device, such as a television or a command line (RFC 8628).
ALTER TABLE applications ADD COLUMN device boolean NOT NULL DEFAULT false;

-- Sign-ins on such devices. `id` and `user_code` are the SHA-256 of the code of the device, and of the one that the user
-- types in. `grant_id` is set when the user has allowed it.
CREATE TABLE device_codes (
  id          bytea PRIMARY KEY,
  user_code   bytea NOT NULL UNIQUE,
  payload     json NOT NULL,
  expires_at  timestamptz NOT NULL,
  polled_at   timestamptz,
  grant_id    uuid REFERENCES application_grants ON DELETE CASCADE,
  consumed_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX device_codes_grant ON device_codes (grant_id);
CREATE INDEX device_codes_expiry ON device_codes (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON device_codes TO gatehouse_app;
