-- Keys of the operator API. `digest` is the SHA-256 of the key, which is shown once.
CREATE TABLE api_keys (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  digest       bytea NOT NULL UNIQUE,
  scopes       text[] NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  ended_at     timestamptz
);
-- The name of a key that has ended can be used again.
CREATE UNIQUE INDEX api_keys_name ON api_keys (name) WHERE ended_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON api_keys TO gatehouse_app;

-- Responses of the operator API to requests with an Idempotency-Key. `status` is NULL while the first one is handled.
CREATE TABLE idempotency_keys (
  actor      text NOT NULL,
  key        text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  request    bytea NOT NULL, -- SHA-256 of method, path and body
  status     integer,
  body       text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (actor, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO gatehouse_app;

-- Which operator, key or command changed the account. NULL: its owner, or a stranger.
ALTER TABLE auth_events ADD COLUMN actor text CHECK (length(actor) <= 300);

-- Search by the beginning of a username or an email address, in pages.
CREATE INDEX users_username_search ON users ((lower(username) COLLATE "C"), id);
CREATE INDEX users_email_search ON users ((lower(email) COLLATE "C"), id);
-- Events of one kind, newest first.
CREATE INDEX auth_events_kind ON auth_events (what, created_at);
