-- The schema of version 0.2, which had grown in migrations 1 to 21. A database of that version goes on with 022.

---- Accounts

-- A password account has a hash; a social-only account has none.
CREATE TABLE users (
  id                      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email                   text NOT NULL CHECK (length(email) <= 254),
  email_verified_at       timestamptz,
  username                text NOT NULL CHECK (length(username) BETWEEN 1 AND 254),
  name                    text CHECK (length(name) <= 200),
  password_hash           text,
  provider_a_id           text UNIQUE,
  provider_b_id           text UNIQUE,
  provider                text CHECK (provider IN ('provider_a', 'provider_b')),
  disabled_at             timestamptz,
  created_at              timestamptz NOT NULL DEFAULT now(),
  updated_at              timestamptz NOT NULL DEFAULT now(),
  first_signed_in_at      timestamptz,                -- events are kept for half a year, this for longer
  verification_sent_at    timestamptz,                -- the last link; NULL: never asked to verify, never purged
  factors_version         integer NOT NULL DEFAULT 0, -- counts the changes of factors; 0: never had one
  passkey_handle          bytea UNIQUE,               -- random; the user id that passkeys store
  stolen_password_told_at timestamptz,                -- when the owner was told that the present password is stolen
  language                text CHECK (length(language) <= 8) -- of pages and mails: chosen, or that of the browser
);
CREATE UNIQUE INDEX users_email ON users (lower(email));
-- Social usernames follow the provider and may repeat; those that sign in with a password may not.
CREATE UNIQUE INDEX users_username ON users (lower(username)) WHERE password_hash IS NOT NULL;
CREATE INDEX users_verification_sent ON users (verification_sent_at)
  WHERE email_verified_at IS NULL AND verification_sent_at IS NOT NULL;
-- Search by the beginning of a username or an email address, in pages.
CREATE INDEX users_username_search ON users ((lower(username) COLLATE "C"), id);
CREATE INDEX users_email_search ON users ((lower(email) COLLATE "C"), id);

-- Users of the providers in PROVIDERS. The ids of providers A and B are columns of `users`.
-- `email`: the address at the provider, which may differ from that of the account.
CREATE TABLE identities (
  provider     text NOT NULL CHECK (length(provider) <= 30),
  subject      text NOT NULL CHECK (length(subject) <= 255),
  issuer       text NOT NULL, -- the same subject at another issuer is another user
  user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  email        text CHECK (length(email) <= 254),
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, subject),
  UNIQUE (user_id, provider)
);

-- Links in mails. `token` is the SHA-256 of the value.
-- `email`: the new address of a change, or the former one that an undo restores.
CREATE TABLE one_time_tokens (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  kind       text NOT NULL CHECK (kind IN ('verify', 'reset', 'change_email', 'undo_email')),
  token      bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  email      text CHECK (length(email) <= 254)
);
CREATE INDEX one_time_tokens_user ON one_time_tokens (user_id, kind);
CREATE INDEX one_time_tokens_expiry ON one_time_tokens (expires_at);

-- The slowest hash of each scheme that was imported, without its values: a wrong password takes as long as the slowest.
CREATE TABLE imported_hashes (
  scheme      text PRIMARY KEY,
  sample      text NOT NULL CHECK (length(sample) <= 1000),
  work        double precision NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT now()
);

---- Sessions

-- One row for each session. A refresh updates it in place: nothing that it changes is indexed (HOT), except
-- `purge_on`, which changes at most once a day. `token` is the SHA-256 of the current refresh token; older tokens
-- are recognised by the generation in their claims. `rotated_at` is when the current token replaced the one before.
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
  revoked_for  text,
  amr          text[],     -- how the user proved who they are
  auth_time    timestamptz -- when they proved it again after the sign-in
) WITH (fillfactor = 70); -- room on the page for the next versions of its rows
CREATE INDEX refresh_tokens_user ON refresh_tokens (user_id);
CREATE INDEX refresh_tokens_purge ON refresh_tokens (purge_on);

-- Sessions that ended while an access token of theirs may still be valid. Every instance follows this table,
-- and access checks refuse these sessions. `xid` tells which rows a reader may have missed: those of transactions
-- that were under way when it read last. A canary ends no session: its arrival measures the delay.
CREATE TABLE revocations (
  sid        uuid NOT NULL,
  xid        xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  canary     boolean NOT NULL DEFAULT false,
  account_id bigint,
  reason     text
);
CREATE INDEX revocations_xid ON revocations (xid);
CREATE INDEX revocations_time ON revocations (created_at);

-- By triggers, so that no way of ending a session can forget it: also the deletion of an account, and plain SQL.
CREATE FUNCTION revoke_ended_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.revocations (sid, account_id, reason)
  VALUES (OLD.id, OLD.user_id, CASE TG_OP WHEN 'DELETE' THEN 'account_deleted' ELSE NEW.revoked_for END);
  PERFORM pg_notify('gatehouse_revocations', '');
  RETURN NULL;
END
$$;
CREATE TRIGGER refresh_tokens_ended AFTER UPDATE OF revoked_at ON refresh_tokens FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION revoke_ended_session();
CREATE TRIGGER refresh_tokens_deleted AFTER DELETE ON refresh_tokens FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND OLD.expires_at > now()) EXECUTE FUNCTION revoke_ended_session();

-- Ends the sessions used longest ago beyond the limit of an account. As a function, because its query sees the sessions
-- of concurrent sign-ins, for which the statement that calls it may have waited. `kept` are not counted.
CREATE FUNCTION end_excess_sessions(owner bigint, kept uuid[], others integer, at_once integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE refresh_tokens SET revoked_at = now(), revoked_for = 'session_limit'
  WHERE id = ANY (ARRAY(
    SELECT id FROM refresh_tokens
    WHERE user_id = owner AND id <> ALL (kept) AND revoked_at IS NULL AND expires_at > now()
    ORDER BY issued_at DESC OFFSET others LIMIT at_once));
END
$$;

-- Keys that sign tokens for other services. `private_key` is encrypted with a key derived from JWT_SECRET.
CREATE TABLE signing_keys (
  kid         text PRIMARY KEY,
  algorithm   text NOT NULL CHECK (algorithm IN ('EdDSA', 'ES256')),
  public_key  jsonb NOT NULL,
  private_key text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  signs_at    timestamptz NOT NULL,               -- published before, so that other services know it in time
  opened_at   timestamptz NOT NULL DEFAULT now(), -- when an instance could last decrypt it
  retired_at  timestamptz                         -- signs no more; published until its last token has expired
);

---- Second factors and passkeys

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

-- `public_id` is for addresses, since a credential id can be longer than a part of an address may be.
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
  last_used_at timestamptz,
  public_id    uuid NOT NULL UNIQUE DEFAULT gen_random_uuid()
);
CREATE INDEX passkeys_user ON passkeys (user_id);

-- Challenges of passkeys that were answered. Each is accepted once, by whichever instance. `digest` is its SHA-256.
CREATE TABLE used_challenges (
  digest     bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_challenges_expiry ON used_challenges (expires_at);

---- Events

-- What happened, without secrets. Rows commit out of order, so that readers in the background would miss some with
-- `id > last`: they take the rows whose transaction (`xid`) is older than every one that is still open.
-- `salt` makes the digest of a row useless once the row is deleted.
CREATE TABLE auth_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  what       text NOT NULL,
  user_id    bigint REFERENCES users ON DELETE CASCADE,
  ip         inet,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  xid        xid8 DEFAULT pg_current_xact_id(),
  salt       uuid DEFAULT gen_random_uuid(),
  session_id uuid,                               -- the session that a sign-in opened
  account_id bigint,                             -- instead of user_id, where the account does not exist any more
  actor      text CHECK (length(actor) <= 300),  -- the operator, key or command; NULL: the owner, or a stranger
  subject    text CHECK (length(subject) <= 100) -- what was changed, if not an account: a webhook, or a key
);
CREATE INDEX auth_events_user ON auth_events (user_id, created_at DESC);
CREATE INDEX auth_events_time ON auth_events (created_at);
CREATE INDEX auth_events_kind ON auth_events (what, created_at);
CREATE INDEX auth_events_order ON auth_events (xid) WHERE xid IS NOT NULL;

-- How far each reader has come: it reads the transactions from `from_xid` to before `until_xid` by id, and has read
-- those up to `last_id`. After a restore, transaction numbers may start lower: then it first reads what it had not
-- read up to `restored_id`, and from then on only events after that.
CREATE TABLE event_readers (
  name        text PRIMARY KEY,
  from_xid    xid8 NOT NULL DEFAULT '0',
  until_xid   xid8 NOT NULL DEFAULT '0',
  last_id     bigint NOT NULL DEFAULT 0,
  restored_id bigint NOT NULL DEFAULT 0,
  catching_up boolean NOT NULL DEFAULT false
);
INSERT INTO event_readers (name) VALUES ('webhooks'), ('audit'), ('counts');

-- Seals over the events, in batches. Each has a hash over the digests of its events and the seal before, so that no
-- event can be changed, removed or added later without breaking the chain. The digest of an event stays when it is
-- deleted with its account; the lists go when their events have expired, and the chain stays.
-- A digest is over all columns of an event that are not NULL: a column that is added later must be NULL in old rows.
CREATE TABLE audit_seals (
  number      integer PRIMARY KEY,
  sealed_at   timestamptz NOT NULL,
  oldest      timestamptz NOT NULL,
  newest      timestamptz NOT NULL,
  next_xid    text NOT NULL,
  events      integer NOT NULL,
  events_hash bytea NOT NULL,
  previous    bytea NOT NULL,
  hash        bytea NOT NULL,
  first_id    bigint NOT NULL,
  last_id     bigint NOT NULL,
  event_ids   bigint[],
  account_ids bigint[],
  digests     bytea
);
CREATE INDEX audit_seals_listed ON audit_seals (newest) WHERE event_ids IS NOT NULL;

-- Sign-ins and failed attempts by minute and by hour, for the charts of operators. One instance at a time counts the
-- events in their settled order, so that each is counted once and no sign-in waits for it.
CREATE TABLE sign_in_counts (
  size      text NOT NULL CHECK (size IN ('minute', 'hour')),
  starts_at timestamptz NOT NULL,
  kind      text NOT NULL,
  count     integer NOT NULL,
  PRIMARY KEY (size, starts_at, kind)
);

-- How many accounts and live sessions there were. Counting them takes too long for each look at the page.
CREATE TABLE account_totals (
  counted_at         timestamptz PRIMARY KEY,
  accounts           integer NOT NULL,
  with_second_factor integer NOT NULL,
  sessions           integer NOT NULL
);

---- Operators

-- Accounts that may sign in on the listener for operators.
CREATE TABLE operators (
  user_id  bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  added_at timestamptz NOT NULL DEFAULT now()
);

-- Their sessions there. `digest` is the SHA-256 of the cookie. A change of the factors ends them, and so does
-- whatever ends all sessions of the account.
CREATE TABLE operator_sessions (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  digest          bytea NOT NULL UNIQUE,
  user_id         bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  factors_version integer NOT NULL,
  proved_at       timestamptz NOT NULL DEFAULT now(),
  last_used_at    timestamptz NOT NULL DEFAULT now(),
  expires_at      timestamptz NOT NULL
);
CREATE INDEX operator_sessions_user ON operator_sessions (user_id);

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

---- Webhooks

-- Endpoints of other systems that are told what happened. Secrets are encrypted with a key derived from JWT_SECRET.
CREATE TABLE webhooks (
  id              uuid PRIMARY KEY,
  url             text NOT NULL CHECK (length(url) <= 2000),
  events          text[] NOT NULL,
  secret          text NOT NULL,
  previous_secret text,        -- also signs until `previous_until`, after a rotation
  previous_until  timestamptz,
  notify          text CHECK (length(notify) <= 254),
  created_at      timestamptz NOT NULL DEFAULT now(),
  succeeded_at    timestamptz, -- the last delivery
  paused_at       timestamptz,
  paused_for      text
);

-- What each endpoint is told. `data` has nothing personal: the account is read when the message is sent.
CREATE TABLE webhook_deliveries (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- also the order
  webhook_id       uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  message_id       text NOT NULL,
  type             text NOT NULL,
  account_id       bigint,
  data             jsonb NOT NULL,
  occurred_at      timestamptz NOT NULL,
  status           text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'failed')),
  attempts         integer NOT NULL DEFAULT 0,
  first_attempt_at timestamptz,
  due_at           timestamptz NOT NULL DEFAULT now(),
  ended_at         timestamptz,
  answer_status    integer,
  answer           text,
  error            text,
  UNIQUE (webhook_id, message_id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_account ON webhook_deliveries (webhook_id, account_id, id) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_time ON webhook_deliveries (occurred_at);
-- The deliveries of an endpoint, newest first, in pages.
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id, id) WHERE status = 'failed';

---- Content, which the service only reads

CREATE TABLE content (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug         text NOT NULL UNIQUE,
  title        text NOT NULL,
  body         text NOT NULL,
  published_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX content_published ON content (published_at DESC);

---- What the service may do

-- The service signs in as a member of gatehouse_app: it reads and writes its records, reads content,
-- and changes no table. Roles belong to the whole server, so another database may have made it already.
DO $$
BEGIN
  CREATE ROLE gatehouse_app NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END
$$;

-- By default everybody may make temporary tables, and before PostgreSQL 15 tables in public.
DO $$
BEGIN
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END
$$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

GRANT USAGE ON SCHEMA public TO gatehouse_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  users, identities, one_time_tokens, imported_hashes, refresh_tokens, signing_keys, totp, recovery_codes, passkeys,
  sign_in_counts, operator_sessions, idempotency_keys, webhooks, webhook_deliveries TO gatehouse_app;
GRANT SELECT, INSERT, DELETE ON revocations, used_challenges, auth_events, account_totals, operators TO gatehouse_app;
GRANT SELECT, INSERT, UPDATE ON api_keys TO gatehouse_app;
GRANT SELECT, UPDATE ON event_readers TO gatehouse_app;
-- Of a seal, only the lists can change: they go when their events have expired.
GRANT SELECT, INSERT, UPDATE (event_ids, account_ids, digests) ON audit_seals TO gatehouse_app;
-- `gatehouse doctor` asks, as the service, whether the tables are up to date.
GRANT SELECT ON content, schema_migrations TO gatehouse_app;
