-- Second factors, passkeys, and how each session was proved.
ALTER TABLE users
  ADD COLUMN factors_version integer NOT NULL DEFAULT 0, -- counts the changes of factors; 0: never had one
  ADD COLUMN passkey_handle  bytea UNIQUE,               -- random; the user id that passkeys store
  ADD COLUMN stolen_password_told_at timestamptz;        -- when the owner was told that the present password is stolen

-- `amr`: how the user proved who they are. NULL: a session from before this migration.
-- `auth_time`: when they proved it again after the sign-in. Neither is indexed, so that a refresh stays HOT.
ALTER TABLE refresh_tokens
  ADD COLUMN amr       text[],
  ADD COLUMN auth_time timestamptz;

-- `secret` is encrypted with a key derived from JWT_SECRET. A code of `last_step` or before is not accepted any more.
CREATE TABLE totp (
  user_id      bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  secret       text NOT NULL,
  confirmed_at timestamptz,
  last_step    bigint NOT NULL DEFAULT 0,
  created_at   timestamptz NOT NULL DEFAULT now()
);

-- `digest` is the SHA-256 of the code.
CREATE TABLE recovery_codes (
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  digest     bytea NOT NULL,
  used_at    timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, digest)
);

CREATE TABLE passkeys (
  id           text PRIMARY KEY, -- the credential id, in base64url
  user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  public_key   bytea NOT NULL,
  counter      bigint NOT NULL DEFAULT 0,
  transports   text[] NOT NULL DEFAULT '{}',
  device_type  text NOT NULL,
  backed_up    boolean NOT NULL,
  name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX passkeys_user ON passkeys (user_id);

-- `email`: the new address of a change, or the former one that an undo restores.
ALTER TABLE one_time_tokens
  ADD COLUMN email text CHECK (length(email) <= 254),
  DROP CONSTRAINT one_time_tokens_kind_check,
  ADD CONSTRAINT one_time_tokens_kind_check CHECK (kind IN ('verify', 'reset', 'change_email', 'undo_email'));

GRANT SELECT, INSERT, UPDATE, DELETE ON totp, recovery_codes, passkeys TO gatehouse_app;
