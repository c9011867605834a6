-- Applications that sign users in with OpenID Connect. `id` is their client_id. Only operators set `trusted`.
CREATE TABLE applications (
  id                     uuid PRIMARY KEY,
  name                   text NOT NULL,
  kind                   text NOT NULL CHECK (kind IN ('web', 'public', 'machine')),
  redirect_uris          text[] NOT NULL DEFAULT '{}',
  post_logout_uris       text[] NOT NULL DEFAULT '{}',
  backchannel_logout_url text,
  trusted                boolean NOT NULL DEFAULT false,
  pkce_optional          boolean NOT NULL DEFAULT false,
  created_at             timestamptz NOT NULL DEFAULT now(),
  changed_at             timestamptz NOT NULL DEFAULT now()
);

-- SHA-256 of each secret. After a rotation the former one is accepted until `ends_at`.
CREATE TABLE application_secrets (
  application_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  digest         bytea NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  ends_at        timestamptz,
  PRIMARY KEY (application_id, digest)
);

-- What a user has allowed an application.
CREATE TABLE application_consents (
  user_id        bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  application_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  scopes         text[] NOT NULL,
  granted_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, application_id)
);
CREATE INDEX application_consents_application ON application_consents (application_id);

-- A session of an application with offline access belongs to it. `first_id` is the first session of those that replaced
-- one another at new proofs of identity, and NULL if this is the first.
ALTER TABLE refresh_tokens ADD COLUMN application_id uuid, ADD COLUMN first_id uuid;

-- What an application got by one sign-in of a user. It ends with `session_id`. The application is told when
-- `signed_in_from`, the session of the browser, ends; `sid` is how it knows that session. `refresh` is what the refresh
-- token says: the tokens of a grant differ only by their generation. Without a reference to the account, so that the
-- application is also told when the account is deleted. `json`: unlike `jsonb`, it stores each text that an application
-- may send, also one with a NUL.
CREATE TABLE application_grants (
  id             uuid PRIMARY KEY,
  application_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  user_id        bigint NOT NULL,
  session_id     uuid NOT NULL,
  signed_in_from uuid NOT NULL,
  sid            uuid NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  used_at        timestamptz NOT NULL DEFAULT now(),
  rotated_at     timestamptz,
  ended_at       timestamptz,
  generation     integer NOT NULL DEFAULT 0,
  scopes         text[] NOT NULL,
  allowed        jsonb NOT NULL,
  refresh        json
) WITH (fillfactor = 70);
CREATE INDEX application_grants_application ON application_grants (application_id);
CREATE INDEX application_grants_session ON application_grants (session_id);
CREATE INDEX application_grants_browser ON application_grants (signed_in_from);
CREATE INDEX application_grants_user ON application_grants (user_id);

-- Codes, access tokens, requests and interactions of the OpenID provider. `id` is the SHA-256 of the kind and the value.
CREATE TABLE openid_artifacts (
  id          bytea PRIMARY KEY,
  kind        text NOT NULL,
  grant_id    uuid REFERENCES application_grants ON DELETE CASCADE,
  payload     json NOT NULL,
  expires_at  timestamptz NOT NULL,
  consumed_at timestamptz
);
CREATE INDEX openid_artifacts_grant ON openid_artifacts (grant_id);
CREATE INDEX openid_artifacts_expiry ON openid_artifacts (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON
  applications, application_secrets, application_consents, application_grants, openid_artifacts TO gatehouse_app;
