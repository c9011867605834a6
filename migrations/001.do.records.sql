-- Accounts. A password account has a hash; a social-only account has none.
CREATE TABLE users (
  id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email             text NOT NULL CHECK (length(email) <= 254),
  email_verified_at timestamptz,
  username          text NOT NULL CHECK (length(username) BETWEEN 1 AND 254),
  name              text CHECK (length(name) <= 200),
  password_hash     text,
  provider_a_id     text UNIQUE,
  provider_b_id     text UNIQUE,
  provider          text CHECK (provider IN ('provider_a', 'provider_b')),
  disabled_at       timestamptz,
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email));
-- Social usernames follow the provider and may repeat; those that sign in with a password may not.
CREATE UNIQUE INDEX users_username ON users (lower(username)) WHERE password_hash IS NOT NULL;
CREATE INDEX users_unverified ON users (created_at) WHERE email_verified_at IS NULL;

-- Sessions. One family is one sign-in; each refresh adds a row to it. `token` is the SHA-256 of the value.
-- `rotated_at` and `revoked_at` stand apart: what was revoked must never come back in a grace window.
CREATE TABLE refresh_tokens (
  id           uuid PRIMARY KEY,
  family_id    uuid NOT NULL,
  user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  token        bytea NOT NULL UNIQUE,
  expires_at   timestamptz NOT NULL,
  ip           inet,
  user_agent   text,
  signed_in_at timestamptz NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  rotated_at   timestamptz,
  successor_id uuid,
  revoked_at   timestamptz,
  revoked_for  text
) WITH (fillfactor = 80); -- room on the page, so that a rotation need not touch the indexes
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_ended ON refresh_tokens (family_id) WHERE revoked_at IS NOT NULL;
CREATE INDEX refresh_tokens_user ON refresh_tokens (user_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

-- Links in mails. `token` is the SHA-256 of the value.
CREATE TABLE one_time_tokens (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  kind       text NOT NULL CHECK (kind IN ('verify', 'reset')),
  token      bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX one_time_tokens_user ON one_time_tokens (user_id, kind);
CREATE INDEX one_time_tokens_expiry ON one_time_tokens (expires_at);

-- What happened, without secrets.
CREATE TABLE auth_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  what       text NOT NULL,
  user_id    bigint REFERENCES users ON DELETE CASCADE,
  ip         inet,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX auth_events_user ON auth_events (user_id, created_at DESC);
CREATE INDEX auth_events_time ON auth_events (created_at);

CREATE TABLE content (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug         text NOT NULL UNIQUE,
  title        text NOT NULL,
  body         text NOT NULL,
  published_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX content_published ON content (published_at DESC);
